import type { PartStatus } from "@contract/causeway/platform/v1/part_service_pb";
import type { Runtime } from "@contract/causeway/platform/v1/runtime_service_pb";
import { Elapsed } from "@/format";
import { StateMark } from "@/state";
import { Command } from "@/ui";
import { connectionState, nextStepOf, nextStepOfRuntime, partState, waitsFor, type NextStep } from "./words";

/** The connection of a runtime as shape and word, with since when it is silent. */
export function ConnectionMark({ runtime }: { runtime: Runtime }) {
  const { state, word } = connectionState(runtime.connection);
  return (
    <StateMark state={state}>
      {state !== "silent" ? word : runtime.lastSeenAt ? <>silent <Elapsed since={runtime.lastSeenAt} /></> : "never connected"}
    </StateMark>
  );
}

export function PartMark({ part }: { part: PartStatus }) {
  const { state, word } = partState(part.health);
  return <StateMark state={state}>{word}</StateMark>;
}

/** What is wrong with a part, and the next step. */
export function PartTrouble({ part }: { part: PartStatus }) {
  const waits = waitsFor(part);
  return (
    <li className="flex flex-col gap-1">
      <span className="inline-flex flex-wrap items-baseline gap-x-2">
        <strong className="font-medium">{part.part}</strong>
        <PartMark part={part} />
        {waits && <span className="text-dim">{waits}</span>}
      </span>
      {part.notices.map((notice) => <span key={notice} className="break-words text-dim">{notice}</span>)}
      {waits && <Step step={nextStepOf(part)} />}
    </li>
  );
}

/** What to do next about a runtime that is not online. */
export function RuntimeStep({ runtime }: { runtime: Runtime }) {
  const step = nextStepOfRuntime(runtime);
  return step ? <Step step={step} /> : null;
}

function Step({ step }: { step: NextStep }) {
  return (
    <div className="flex max-w-[80ch] flex-col gap-1">
      <span>→ {step.text}</span>
      {step.command && <Command>{step.command}</Command>}
    </div>
  );
}
