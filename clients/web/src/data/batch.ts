import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { useCallback, useRef, useState } from "react";
import { send } from "./actions";
import type { Problem } from "./problem";
import { withRequestId } from "./unfinished";

/** How many calls of a batch run at once. */
const PARALLEL = 8;

/** One target of a batch, and how its call stands. */
export interface Outcome<I extends DescMessage> {
  key: string;
  request: MessageShape<I>;
  state: "waiting" | "sending" | "accepted" | "refused" | "unknown" | "cancelled";
  requestId: string;
  problem?: Problem | undefined;
}

export interface Batch<I extends DescMessage> {
  outcomes: readonly Outcome<I>[];
  isRunning: boolean;
  /** Calls the method once for each target, eight at a time. */
  run: (targets: readonly { key: string; input: MessageInitShape<I> }[]) => Promise<void>;
  /** Sends what was refused again with new ids, and what has no known outcome with the same ones; also accepted ones that failed later. */
  retryFailed: (failedLater?: readonly string[]) => Promise<void>;
  /** Sends no further call; those under way end by themselves. */
  cancel: () => void;
  reset: () => void;
}

/** Makes the same change to many targets and tells the outcome of each. */
export function useBatch<I extends DescMessage>(method: DescMethodUnary<I, DescMessage>): Batch<I> {
  const [outcomes, setOutcomes] = useState<readonly Outcome<I>[]>([]);
  const [isRunning, setRunning] = useState(false);
  const cancelled = useRef(false);
  const start = async (next: Outcome<I>[]) => {
    cancelled.current = false;
    setRunning(true);
    await runBatch(method, next, () => setOutcomes([...next]), () => cancelled.current);
    setRunning(false);
  };
  return {
    outcomes,
    isRunning,
    run: (targets) => start(targets.map(({ key, input }) => waiting(method, key, input))),
    retryFailed: (failedLater = []) => start(outcomes.map((outcome) => again(method, outcome, failedLater.includes(outcome.key)))),
    cancel: useCallback(() => void (cancelled.current = true), []),
    reset: useCallback(() => setOutcomes([]), []),
  };
}

/** Sends all waiting calls of a batch, and tells each change of an outcome. */
export async function runBatch<I extends DescMessage>(
  method: DescMethodUnary<I, DescMessage>,
  outcomes: Outcome<I>[],
  onChange: () => void,
  isCancelled: () => boolean,
): Promise<void> {
  const set = (index: number, change: Partial<Outcome<I>>) => {
    const outcome = outcomes[index];
    if (outcome) outcomes[index] = { ...outcome, ...change };
    onChange();
  };
  const queue = outcomes.flatMap((outcome, index) => (outcome.state === "waiting" ? [index] : []));
  const work = async () => {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
      const outcome = outcomes[index];
      if (!outcome) continue;
      if (isCancelled()) {
        set(index, { state: "cancelled" });
        continue;
      }
      set(index, { state: "sending", problem: undefined });
      const end = await send(method, outcome.request, outcome.key);
      set(index, { state: end.kind, problem: "problem" in end ? end.problem : undefined });
    }
  };
  onChange();
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

function waiting<I extends DescMessage>(method: DescMethodUnary<I, DescMessage>, key: string, input: MessageInitShape<I>): Outcome<I> {
  const request = withRequestId(method.input, input);
  return { key, request, state: "waiting", requestId: (request as { requestId?: string }).requestId ?? "" };
}

/** A refused call is a new one; one without a known outcome keeps its id, so that it happens once. */
export function again<I extends DescMessage>(method: DescMethodUnary<I, DescMessage>, outcome: Outcome<I>, failedLater: boolean): Outcome<I> {
  if (outcome.state === "accepted" && !failedLater) return outcome;
  switch (outcome.state) {
    case "unknown":
      return { ...outcome, state: "waiting" };
    default:
      return waiting(method, outcome.key, { ...(outcome.request as object), requestId: "" } as unknown as MessageInitShape<I>);
  }
}
