import { StateShape } from "@/state/StateMark";
import { Command } from "@/ui/CopyButton";
import type { Failure } from "./failure";

export interface NotAllowedProps {
  /** What was attempted, such as "list users". */
  what: string;
  failure: Pick<Failure, "message" | "permission" | "runtime">;
}

/** A page or part that the caller's roles do not include, with the permission that is missing. */
export function NotAllowed({ what, failure }: NotAllowedProps) {
  const { message, permission, runtime } = failure;
  return (
    <section className="flex max-w-[72ch] flex-col gap-2 rounded-card border border-line p-4">
      <h2 className="flex items-center gap-2 text-h2 font-semibold">
        <StateShape state="refused" /> You may not {what}
      </h2>
      <p className="break-words">{message}</p>
      {permission && (
        <p className="text-dim">
          It needs the permission <code className="font-mono text-label text-text">{permission}</code>. Ask an admin for a role
          that has it.
        </p>
      )}
      {permission && <Command>{canI(permission, runtime)}</Command>}
    </section>
  );
}

/** Returns the command that explains a permission. */
export function canI(permission: string, target?: string): string {
  const [kind, verb] = permission.split(".");
  return `causeway can-i ${verb ?? permission} ${target ? `${kind}/${target}` : kind}`;
}
