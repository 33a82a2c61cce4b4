import type { ReactNode } from "react";
import { Elapsed, now, plural, toMillis } from "@/format";
import { StateShape } from "@/state";
import { Link } from "@/ui";
import type { State } from "@/words";
import type { Summary } from "./summary";
import { Section } from "./Section";

const LONG = 10 * 60_000;

/** What waits for a person or runs too long. */
export function Waiting({ summary }: { summary: Summary }) {
  const { pausedRollouts, running, runningTotal, drifted } = summary;
  const long = running.filter(({ operation }) => now() - (toMillis(operation?.startedAt) ?? now()) > LONG);
  if (pausedRollouts.length === 0 && runningTotal === 0n && drifted === 0n) return null;
  return (
    <Section
      title="Waiting"
      beside={
        <span className="text-dim">
          {[
            pausedRollouts.length > 0 && plural(pausedRollouts.length, "paused rollout"),
            runningTotal > 0n && plural(runningTotal, "running operation"),
            long.length > 0 && `${plural(long.length, "operation")} over 10 min`,
          ].filter(Boolean).join(" · ")}
        </span>
      }
    >
      <ul aria-label="Waiting for a person or for time">
        {pausedRollouts.map((rollout) => (
          <Row key={`${rollout.runtime}/${rollout.cluster}/${rollout.namespace}/${rollout.name}`} state="suspended" since={<Elapsed since={rollout.since} />}>
            Rollout <Link to="/apps" search={{ q: rollout.name }}>{rollout.name}</Link> is paused <Dim>{rollout.runtime} / {rollout.namespace}</Dim>
          </Row>
        ))}
        {running.map(({ runtime, cluster, namespace, name, operation }) => (
          <Row key={`${runtime}/${cluster}/${namespace}/${name}`} state="running" since={<Elapsed since={operation?.startedAt} />}>
            <Link to="/apps/$runtime/$cluster/$namespace/$name" params={{ runtime, cluster, namespace, name }}>{name}</Link> syncs{" "}
            <Dim>{operation?.initiatedBy || "automated"} · {runtime}</Dim>
          </Row>
        ))}
        {drifted > 0n && (
          <Row state="outOfSync" since="over 24 h">
            {plural(drifted, "app")} out of sync without auto-sync{" "}
            <Link to="/apps" search={{ sync: "outOfSync", automated: "no" }}>Open</Link>
          </Row>
        )}
      </ul>
    </Section>
  );
}

function Row({ state, since, children }: { state: State; since: ReactNode; children: ReactNode }) {
  return (
    <li className="flex min-h-(--row) items-center gap-3 border-b border-line px-1 hover:bg-panel">
      <StateShape state={state} />
      <span className="min-w-0 grow truncate">{children}</span>
      <span className="numbers shrink-0 text-dim">{since}</span>
    </li>
  );
}

function Dim({ children }: { children: ReactNode }) {
  return <span className="text-dim"> {children}</span>;
}
