import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { Reason } from "./gen/causeway/error/v1/reason_pb.js";

const DOMAIN = "causeway";

/** What a failed call tells. */
export interface Problem {
  code: Code;
  message: string;
  /** UNSPECIFIED where none is told, or one that this version does not know yet. */
  reason: Reason;
  /** Which fields of the request are wrong, and how. */
  fields: Record<string, string>;
  /** Milliseconds after which a repeat may succeed. */
  retryAfterMs?: number;
}

/** Reads what a failed call tells. */
export function problemOf(error: unknown): Problem {
  const told = ConnectError.from(error);
  const info = told.findDetails(ErrorInfoSchema).find((each) => each.domain === DOMAIN);
  const problem: Problem = {
    code: told.code,
    message: told.rawMessage,
    reason: Reason[info?.reason as keyof typeof Reason] ?? Reason.UNSPECIFIED,
    fields: {},
  };
  for (const { fieldViolations } of told.findDetails(BadRequestSchema)) {
    for (const { field, description } of fieldViolations) {
      problem.fields[field] = description;
    }
  }
  const delay = told.findDetails(RetryInfoSchema)[0]?.retryDelay;
  if (delay) {
    problem.retryAfterMs = Number(delay.seconds) * 1e3 + delay.nanos / 1e6;
  }
  return problem;
}

/** One line: the reason where one is told, else the code, then the message and the fields that are wrong. */
export function textOf({ code, reason, message, fields }: Problem): string {
  const name = reason === Reason.UNSPECIFIED ? Code[code] : Reason[reason];
  return [`${name}: ${message}`, ...Object.entries(fields).map(([field, wrong]) => `${field}: ${wrong}`)].join("; ");
}

/** Whether the same call may succeed later without anybody doing something. */
export function isTransient({ code }: Problem): boolean {
  return code === Code.Unavailable || code === Code.ResourceExhausted || code === Code.Aborted;
}
