import { formatCount, formatShortCount } from "@/format";
import { StateShape } from "@/state";
import { BareLink } from "@/ui";
import { states, type State } from "@/words";
import { stateOf, type Summary } from "./summary";

const order: readonly State[] = ["degraded", "missing", "progressing", "suspended", "unknown", "healthy"];

/** The applications by state, worst first; each opens the list of them. */
export function StateCounts({ summary }: { summary: Summary }) {
  return (
    <ul className="flex flex-wrap items-center gap-x-1 gap-y-1" aria-label="Applications by state">
      {order.map((state) => <Count key={state} kind="health" state={state} values={summary.health} />)}
      <Count kind="sync" state="outOfSync" values={summary.sync} />
    </ul>
  );
}

function Count({ kind, state, values }: { kind: "health" | "sync"; state: State; values: Summary["health"] }) {
  const count = values.find(({ value }) => stateOf(value) === state)?.count ?? 0n;
  if (count === 0n) return null;
  return (
    <li>
      <BareLink
        to="/apps"
        search={{ [kind]: state }}
        title={`${formatCount(count)} ${states[state].word}`}
        className="numbers flex h-(--control) items-center gap-1.5 rounded-control px-2 hover:bg-panel"
      >
        <StateShape state={state} />
        <span className="font-medium">{formatShortCount(count)}</span>
        <span className="text-dim max-wide:sr-only">{states[state].word}</span>
      </BareLink>
    </li>
  );
}
