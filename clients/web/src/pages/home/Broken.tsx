import type { Problem, SilentRuntime } from "@contract/causeway/inventory/v1/summary_service_pb";
import type { ReactNode } from "react";
import { Elapsed, plainLine, plural, Time } from "@/format";
import { healthState, StateShape } from "@/state";
import { Link } from "@/ui";
import type { State } from "@/words";
import { places, problemSearch, type Summary } from "./summary";
import { Section } from "./Section";

/** What is broken now, by cause, so that one outage is one line. */
export function Broken({ summary }: { summary: Summary }) {
  const { problems, silentRuntimes, problemsLeftOff } = summary;
  const isNothing = problems.length === 0 && silentRuntimes.length === 0;
  return (
    <Section title="Broken now">
      {isNothing && (
        <p className="flex items-center gap-2 py-2 text-dim">
          <StateShape state="healthy" /> Nothing is broken.
        </p>
      )}
      <ul aria-label="Causes">
        {problems.map((problem) => <ProblemRow key={`${problem.type}\n${problem.message}`} problem={problem} />)}
        {silentRuntimes.map((runtime) => <SilentRow key={runtime.runtime} runtime={runtime} />)}
      </ul>
      {problemsLeftOff > 0n && (
        <p className="py-2 text-dim">
          {plural(problemsLeftOff, "more cause")}. <Link to="/apps" search={{ health: "degraded,missing,unknown" }}>Open all broken applications</Link>
        </p>
      )}
    </Section>
  );
}

function ProblemRow({ problem }: { problem: Problem }) {
  const state = problem.type === "sync" ? "outOfSync" : worst(problem);
  return (
    <Row
      state={state}
      count={plural(problem.count, "app")}
      text={<span title={problem.example || problem.message}>{sentence(problem.message)}</span>}
      {...(problem.type === "health" || problem.type === "sync" ? {} : { kind: problem.type })}
      since={<Elapsed since={problem.since} />}
      where={places(problem.runtimes)}
      action={<Link to="/apps" search={problemSearch(problem)}>Open</Link>}
    />
  );
}

function sentence(message: string): string {
  const line = plainLine(message) || "No reason is reported";
  return line.charAt(0).toUpperCase() + line.slice(1);
}

/** A condition can stand on an application that is healthy for all that; the line is about trouble. */
function worst({ health }: Problem): State {
  const state = healthState(health);
  return state === "healthy" || state === "suspended" ? "degraded" : state;
}

function SilentRow({ runtime }: { runtime: SilentRuntime }) {
  return (
    <Row
      state="silent"
      count="1 runtime"
      text={<>silent: {runtime.runtime}{runtime.lastHeardAt && <span className="text-dim"> (last seen <Time at={runtime.lastHeardAt} inSentence />)</span>}</>}
      since={<Elapsed since={runtime.lastHeardAt} />}
      where={`${plural(runtime.applications, "app")} unknown`}
      action={<Link to="/runtimes/$name" params={{ name: runtime.runtime }}>Why</Link>}
    />
  );
}

interface RowProps {
  state: State;
  count: string;
  text: ReactNode;
  kind?: string;
  since: ReactNode;
  where: string;
  action: ReactNode;
}

function Row({ state, count, text, kind, since, where, action }: RowProps) {
  return (
    <li className="grid min-h-(--row) grid-cols-[16px_7rem_minmax(0,1fr)_6rem_14rem_3rem] items-center gap-x-3 border-b border-line px-1 hover:bg-panel max-desk:grid-cols-[16px_minmax(0,1fr)_auto] max-desk:gap-y-0.5 max-desk:py-2">
      <StateShape state={state} />
      <span className="numbers font-medium">{count}</span>
      <span className="flex min-w-0 gap-2 max-desk:order-1 max-desk:col-span-2">
        <span className="truncate max-desk:line-clamp-2 max-desk:whitespace-normal">{text}</span>
        {kind && <span className="shrink-0 text-label leading-5 text-dim max-wide:hidden">{kind}</span>}
      </span>
      <span className="numbers whitespace-nowrap text-dim max-desk:text-right">{since}</span>
      <span className="truncate text-dim max-desk:hidden" title={where}>{where}</span>
      <span className="text-right max-desk:order-1">{action}</span>
    </li>
  );
}
