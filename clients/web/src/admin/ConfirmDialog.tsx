import { useEffect, useState, type ReactNode } from "react";
import { TextField } from "@/ui";
import { ChangeDialog } from "./ChangeDialog";
import type { ChangeState } from "./useChange";

export interface ConfirmDialogProps {
  /** The verb and its object, such as "Revoke prod-eu". */
  title: string;
  isOpen: boolean;
  onClose: () => void;
  change: ChangeState;
  onConfirm: () => void;
  /** What must be typed first; for what cannot be undone. */
  typedName?: string;
  command?: string;
  /** What ends or is lost. */
  children: ReactNode;
}

/** A question before a destructive change, with the name to type where it cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, isOpen, onClose, change, onConfirm, typedName, command, children } = props;
  const [typed, setTyped] = useState("");
  useEffect(() => {
    if (isOpen) setTyped("");
  }, [isOpen]);
  const verb = `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
  return (
    <ChangeDialog
      title={`${title}?`}
      isOpen={isOpen}
      onClose={onClose}
      change={change}
      what={verb}
      submit={title}
      onSubmit={onConfirm}
      isBlocked={typedName !== undefined && typed !== typedName}
      isDanger
      size="small"
      {...(command ? { command } : {})}
    >
      {children}
      {typedName !== undefined && (
        <TextField label={`Type ${typedName} to confirm`} value={typed} onChange={setTyped} autoComplete="off" mono />
      )}
    </ChangeDialog>
  );
}
