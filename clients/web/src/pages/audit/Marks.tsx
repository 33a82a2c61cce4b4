import type { AuditRecord } from "@contract/causeway/platform/v1/audit_service_pb";
import { StateMark } from "@/state";
import { endingOf } from "./filter";

/** A user by its name; others with their kind. */
export function Subject({ children }: { children: string }) {
  const [kind, ...rest] = children.split(":");
  if (kind === "user") return <span className="break-all">{rest.join(":")}</span>;
  return <span title={children} className="inline-block max-w-32 truncate align-bottom text-dim">{children || "no caller"}</span>;
}

export function EndMark({ record }: { record: AuditRecord }) {
  const { state, word } = endingOf(record);
  return <StateMark state={state}>{word}</StateMark>;
}
