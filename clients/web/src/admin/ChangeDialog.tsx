import { useEffect, useId, type ReactNode } from "react";
import { FailureBanner, isOutcomeUnknown } from "@/failure";
import { Button, Command, Dialog } from "@/ui";
import type { ChangeState } from "./useChange";

export interface ChangeDialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  change: ChangeState;
  /** What is attempted, such as "create ada". */
  what: string;
  /** The verb and its object on the button. */
  submit: string;
  onSubmit: () => void;
  /** Keeps the button off until the form can be sent. */
  isBlocked?: boolean;
  isDanger?: boolean;
  /** The command that does the same. */
  command?: string;
  size?: "small" | "medium" | "large";
  children: ReactNode;
}

/** A form whose failure keeps what was typed, and whose unknown outcome offers the same request again. */
export function ChangeDialog(props: ChangeDialogProps) {
  const { title, isOpen, onClose, change, what, submit, onSubmit, isBlocked, isDanger, command, size, children } = props;
  const form = useId();
  useResetOnOpen(isOpen, change.reset);
  const off = change.isPending || isBlocked === true;
  const actions = (
    <>
      <Button onPress={onClose}>Cancel</Button>
      <Button type="submit" form={form} tone={isDanger ? "danger" : "accent"} isDisabled={off}>{submit}</Button>
    </>
  );
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} actions={actions} {...(size ? { size } : {})} {...(isDanger ? { role: "alertdialog" as const } : {})}>
      <form
        id={form}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!off) onSubmit();
        }}
      >
        {change.failure && <FailureBanner error={change.failure} what={what} {...(isOutcomeUnknown(change.failure) ? { onRetry: change.again } : {})} />}
        {children}
        {command && <SameCommand>{command}</SameCommand>}
      </form>
    </Dialog>
  );
}

/** The command line that does the same as a form. */
export function SameCommand({ children }: { children: string }) {
  return (
    <div className="flex flex-col gap-1">
      <span className="text-label font-medium text-dim">The same by command</span>
      <Command>{children}</Command>
    </div>
  );
}

function useResetOnOpen(isOpen: boolean, reset: () => void) {
  useEffect(() => {
    if (isOpen) reset();
    // The function is new at each render; only opening counts.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isOpen]);
}
