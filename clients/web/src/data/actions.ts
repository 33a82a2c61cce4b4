import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { useCallback, useState } from "react";
import { toProblem, type Problem } from "./problem";
import { call } from "./transport";
import { forget, keep, unfinished, withRequestId } from "./unfinished";

/** How a change stands: accepted by the platform, refused, or without a known outcome. */
export type ActionState<Response> =
  | { kind: "idle" }
  | { kind: "sending"; requestId: string }
  | { kind: "accepted"; requestId: string; response: Response }
  | { kind: "refused"; requestId: string; problem: Problem }
  | { kind: "unknown"; requestId: string; problem: Problem | undefined };

export interface Action<I extends DescMessage, O extends DescMessage> {
  state: ActionState<MessageShape<O>>;
  isSending: boolean;
  /** Why it was refused, or why its outcome is not known. */
  problem: Problem | undefined;
  /** Sends a new request; its request id is made here once. */
  run: (input: MessageInitShape<I>) => Promise<ActionState<MessageShape<O>>>;
  /** Sends the last request with its id again; it has no second effect. */
  askAgain: () => Promise<ActionState<MessageShape<O>>>;
  reset: () => void;
}

export interface ActionOptions<O extends DescMessage> {
  /** Names the target, so that a reload finds the request whose outcome is not known. */
  scope?: string;
  /** Called once when the platform has accepted it; the place to invalidate reads. */
  onAccepted?: (response: MessageShape<O>) => void;
}

const idle = { kind: "idle" } as const;

/** Makes a change by one method of the contract, at most once whatever happens to the connection. */
export function useAction<I extends DescMessage, O extends DescMessage>(method: DescMethodUnary<I, O>, options: ActionOptions<O> = {}): Action<I, O> {
  const { scope = "", onAccepted } = options;
  const [request, setRequest] = useState(() => unfinished(method, scope));
  const [state, setState] = useState<ActionState<MessageShape<O>>>(() =>
    request ? { kind: "unknown", requestId: requestIdOf(request), problem: undefined } : idle,
  );
  const submit = async (message: MessageShape<I>) => {
    setRequest(message);
    setState({ kind: "sending", requestId: requestIdOf(message) });
    const end = await send(method, message, scope);
    setState(end);
    if (end.kind === "accepted") onAccepted?.(end.response);
    return end;
  };
  return {
    state,
    isSending: state.kind === "sending",
    problem: "problem" in state ? state.problem : undefined,
    run: (input) => submit(withRequestId(method.input, input)),
    askAgain: () => (request ? submit(request) : Promise.resolve(state)),
    reset: useCallback(() => setState(idle), []),
  };
}

/** Sends one request, and keeps it until its end is known. */
export async function send<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageShape<I>,
  scope = "",
): Promise<Exclude<ActionState<MessageShape<O>>, { kind: "idle" | "sending" }>> {
  const requestId = requestIdOf(request);
  keep(method, scope, request);
  try {
    const response = await call(method, request as MessageInitShape<I>);
    forget(method, scope);
    return { kind: "accepted", requestId, response };
  } catch (error) {
    const problem = toProblem(error, requestId);
    if (problem.outcomeUnknown) return { kind: "unknown", requestId, problem };
    forget(method, scope);
    return { kind: "refused", requestId, problem };
  }
}

function requestIdOf(request: object): string {
  return (request as { requestId?: string }).requestId ?? "";
}
