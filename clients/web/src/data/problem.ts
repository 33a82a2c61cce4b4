import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "@contract/google/rpc/error_details_pb";
import { failureOf, type Failure } from "@/failure/failure";

/** What a failed call tells: a failure as pages show it, and what may be done about it. */
export interface Problem extends Failure {
  code: Code;
  /** The same call may succeed later. */
  retryable: boolean;
  /** Nobody knows if the change happened; asking again with the same request id is safe. */
  outcomeUnknown: boolean;
}

/** A failed call as an exception, which is its own problem. */
export class CallError extends Error implements Problem {
  override readonly name = "CallError";
  declare readonly reason: string;
  declare readonly fields: Record<string, string>;
  declare readonly code: Code;
  declare readonly retryable: boolean;
  declare readonly outcomeUnknown: boolean;

  constructor({ message, ...rest }: Problem) {
    super(message);
    Object.assign(this, rest);
  }
}

const transient: readonly Code[] = [Code.Unavailable, Code.ResourceExhausted, Code.Aborted];
const lost: readonly Code[] = [Code.Unavailable, Code.DeadlineExceeded, Code.Unknown, Code.Internal, Code.Canceled];

/** Reads what a failed call tells. */
export function toProblem(error: unknown, requestId?: string): Problem {
  if (error instanceof CallError) return withRequestId(error, requestId);
  const { code } = ConnectError.from(error);
  const isFromServer = hasReason(error);
  const failure = failureOf(error);
  return withRequestId(
    {
      ...failure,
      message: sentence(failure.message, code, isFromServer),
      code,
      retryable: transient.includes(code) || (!isFromServer && lost.includes(code)),
      outcomeUnknown: isFromServer ? ["OUTCOME_UNKNOWN", "TUNNEL_LOST"].includes(failure.reason) : lost.includes(code),
    },
    requestId,
  );
}

function hasReason(error: unknown): boolean {
  return ConnectError.from(error).findDetails(ErrorInfoSchema).some(({ domain }) => domain === "causeway");
}

function withRequestId(problem: Problem, requestId: string | undefined): Problem {
  const { message } = problem;
  return requestId ? { ...problem, message, requestId } : problem;
}

/** Turns the message into a sentence; the browser's own words for a lost connection help nobody. */
function sentence(message: string, code: Code, isFromServer: boolean): string {
  if (!isFromServer && code === Code.Unimplemented) return "This platform is older than this page and cannot do it.";
  if (!isFromServer && (code === Code.Unavailable || code === Code.Unknown)) return "The platform cannot be reached.";
  const text = message || `The call failed with ${Code[code]}.`;
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(capital) ? capital : `${capital}.`;
}
