import { create, toJsonString, type DescMessage, type DescMethodUnary, type DescService, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { newRequestId } from "@client/request-id";
import { useAction, type ActionState } from "@/data/actions";
import type { Failure } from "@/failure";

/** How a change stands. */
export interface ChangeState {
  /** Makes the last one again with the same request id. */
  again: () => void;
  isPending: boolean;
  failure: Failure | undefined;
  /** Forgets a refusal, for a form that opens again; an unknown outcome stays. */
  reset: () => void;
}

/** A change that a form or a question makes. */
export interface Change<I extends DescMessage> extends ChangeState {
  /** Makes it; an equal input after a failure keeps its request id, so that nothing happens twice. */
  run: (input: MessageInitShape<I>) => void;
}

export interface ChangeOptions<O extends DescMessage> {
  /** Names the target, so that a reload finds a change whose outcome is not known. */
  scope?: string;
  /** Services whose reads are stale after it; that of the method always is. */
  affects?: readonly DescService[];
  onDone?: (response: MessageShape<O>) => void;
}

/** Calls a mutation of the contract with a request id that stays the same until its outcome is known. */
export function useChange<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  { scope = "", affects = [], onDone }: ChangeOptions<O> = {},
): Change<I> {
  const client = useQueryClient();
  const last = useRef({ text: "", requestId: "" });
  const action = useAction(method, {
    scope,
    onAccepted: (response) => {
      last.current = { text: "", requestId: "" };
      invalidate(client, [method.parent, ...affects]);
      onDone?.(response);
    },
  });
  const run = (input: MessageInitShape<I>) => {
    const text = toJsonString(method.input, create(method.input, input));
    if (text !== last.current.text) last.current = { text, requestId: newRequestId() };
    void action.run({ ...(input as object), requestId: last.current.requestId } as unknown as MessageInitShape<I>);
  };
  return {
    run,
    again: () => void action.askAgain(),
    isPending: action.isSending,
    failure: failureOfState(action.state),
    reset: () => action.state.kind === "unknown" || action.reset(),
  };
}

function failureOfState(state: ActionState<unknown>): Failure | undefined {
  if (state.kind === "refused") return state.problem;
  if (state.kind !== "unknown") return undefined;
  const { problem, requestId } = state;
  const message = problem?.message ?? "The page was left before the platform answered.";
  return { fields: {}, ...problem, message, reason: "OUTCOME_UNKNOWN", requestId };
}

/** Marks all reads of services as stale. */
export function invalidate(client: QueryClient, services: readonly DescService[]) {
  const names = services.map((service) => service.typeName);
  void client.invalidateQueries({ predicate: ({ queryKey }) => names.includes(String(queryKey[0])) });
}
