import { Code, ConnectError } from "@connectrpc/connect";
import { Reason } from "@contract/causeway/error/v1/reason_pb";
import { ErrorInfoSchema } from "@contract/google/rpc/error_details_pb";
import { isTransient, problemOf } from "@client/problem";

/** What a failed call tells, in the form that pages show. */
export interface Problem {
  /** One sentence for people, from the server where it sent one. */
  sentence: string;
  /** The reason word, such as PERMISSION_DENIED; empty where none is told. */
  reason: keyof typeof Reason | "";
  code: Code;
  /** Field of the request to what is wrong with it. */
  fields: Record<string, string>;
  /** The request id, to copy. */
  requestId?: string;
  /** The permission that is missing. */
  permission?: string;
  /** The runtime that the call was for. */
  runtime?: string;
  /** The same call may succeed later. */
  retryable: boolean;
  /** Milliseconds after which a repeat may succeed. */
  retryAfter?: number;
  /** The server cannot do this, because it is older. */
  isUnimplemented: boolean;
  /** Nobody knows if the change happened; asking again with the same request id is safe. */
  outcomeUnknown: boolean;
}

/** A failed call as an exception; the message is the sentence. */
export class CallError extends Error {
  override readonly name = "CallError";

  constructor(readonly problem: Problem) {
    super(problem.sentence);
  }
}

/** Reads what a failed call tells. */
export function toProblem(error: unknown, requestId?: string): Problem {
  if (error instanceof CallError) return error.problem;
  const told = ConnectError.from(error, Code.Unknown);
  const info = told.findDetails(ErrorInfoSchema).find(({ domain }) => domain === "causeway");
  const read = problemOf(told);
  const reason = read.reason === Reason.UNSPECIFIED ? "" : (Reason[read.reason] as Problem["reason"]);
  const id = requestId ?? info?.metadata["request_id"] ?? told.metadata.get("x-request-id");
  return {
    sentence: sentence(read.message, told.code, Boolean(info)),
    reason,
    code: told.code,
    fields: read.fields,
    ...(id ? { requestId: id } : {}),
    ...optional("permission", info?.metadata["permission"]),
    ...optional("runtime", info?.metadata["runtime"]),
    retryable: isTransient(read) || !info,
    ...(read.retryAfterMs === undefined ? {} : { retryAfter: read.retryAfterMs }),
    isUnimplemented: told.code === Code.Unimplemented,
    outcomeUnknown: isOutcomeUnknown(told.code, reason),
  };
}

function optional<K extends string>(name: K, value: string | undefined): { [P in K]?: string } {
  return value ? ({ [name]: value } as { [P in K]?: string }) : {};
}

const lost: readonly Code[] = [Code.Unavailable, Code.DeadlineExceeded, Code.Unknown, Code.Internal, Code.Canceled];

function isOutcomeUnknown(code: Code, reason: Problem["reason"]): boolean {
  if (reason) return reason === "OUTCOME_UNKNOWN" || reason === "TUNNEL_LOST";
  return lost.includes(code);
}

/** Turns the message into a sentence; the browser's own words for a lost connection help nobody. */
function sentence(message: string, code: Code, isFromServer: boolean): string {
  if (!isFromServer && code === Code.Unimplemented) return "This platform is older than this page and cannot do it.";
  if (!isFromServer && (code === Code.Unavailable || code === Code.Unknown)) return "The platform cannot be reached.";
  const text = message || `The call failed with ${Code[code]}.`;
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(capital) ? capital : `${capital}.`;
}
