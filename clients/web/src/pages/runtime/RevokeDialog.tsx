import { PartService } from "@contract/causeway/platform/v1/part_service_pb";
import { RuntimeService } from "@contract/causeway/platform/v1/runtime_service_pb";
import { useNavigate } from "@tanstack/react-router";
import { ConfirmDialog, useChange } from "@/admin";
import { plural } from "@/format";
import { notify } from "@/shell";
import { useApplicationCounts, type RuntimeNode } from "@/topology";

export interface RevokeDialogProps {
  node: RuntimeNode;
  isOpen: boolean;
  onClose: () => void;
}

/** Asks before a runtime is revoked, and lists what ends. */
export function RevokeDialog({ node: { runtime, parts }, isOpen, onClose }: RevokeDialogProps) {
  const { name, sessions } = runtime;
  const navigate = useNavigate();
  const apps = useApplicationCounts().get(name) ?? 0n;
  const change = useChange(RuntimeService.method.revokeRuntime, {
    scope: name,
    affects: [PartService],
    onDone: () => {
      onClose();
      notify({ state: "refused", text: `Revoked ${name}.` });
      void navigate({ to: "/runtimes" });
    },
  });
  return (
    <ConfirmDialog
      title={`Revoke ${name}`}
      isOpen={isOpen}
      onClose={onClose}
      change={change}
      onConfirm={() => change.run({ name })}
      typedName={name}
      command={`causeway runtime revoke ${name}`}
    >
      <p className="m-0">This ends at once:</p>
      <ul className="m-0 flex list-disc flex-col gap-1 pl-5">
        <li>its key: no part of it authenticates any more;</li>
        <li>{plural(sessions.length, "tunnel session")} with the calls in it;</li>
        <li>reports of {plural(parts.length, "part")}: {plural(apps, "application")} stay as last reported.</li>
      </ul>
      <p className="m-0 text-dim">Its name becomes available. Nothing is deleted in its cluster: uninstall the Helm release there.</p>
    </ConfirmDialog>
  );
}
