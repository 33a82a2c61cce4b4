import { OperationPhase } from "@contract/causeway/inventory/v1/application_pb";
import { useState, type ReactNode } from "react";
import { useApplicationStates, useDeployments } from "@/data";
import { FailureState } from "@/failure";
import { authorName, Elapsed, plainLine, Revision, Time } from "@/format";
import { healthState, phaseState, StateMark, StateShape, syncState } from "@/state";
import { Button, Checkbox, Chip, EmptyState, SkeletonRows } from "@/ui";
import { useApp } from "../context";
import { useParam, useSetParams } from "../data/search";
import { entriesOf, type Entry } from "./entries";
import { imageChanges } from "./images";
import { useImagesBefore } from "./useImagesBefore";
import { TimeBar } from "./TimeBar";

/** What happened to the application: deployments and changes of state, newest first. */
export default function TimelineTab() {
  const { key } = useApp();
  const states = useApplicationStates(key, { interval: 30_000 });
  const records = useDeployments({ filter: key, pageSize: 100 }, { interval: 30_000 });
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const set = useSetParams(true);
  const error = states.error ?? records.error;
  if (error) return <FailureState error={error} what="read the timeline" onRetry={() => void Promise.all([states.refetch(), records.refetch()])} />;
  if (!states.data || !records.data) return <SkeletonRows />;
  const entries = entriesOf(states.data.pages.flatMap((page) => page.states), records.data.pages.flatMap((page) => page.deployments));
  const starts = entries.flatMap(({ kind, at }) => (kind === "deployment" ? [at] : []));
  const choose = (at: number) => setChosen(chosen.includes(at) ? chosen.filter((each) => each !== at) : [...chosen, at].slice(-2));
  const compare = () => {
    const [from = 0, to] = [...chosen].sort((a, b) => a - b);
    set({ tab: "diff", from: new Date(from).toISOString(), to: to === undefined ? undefined : new Date(to).toISOString() });
  };
  return (
    <div className="flex min-h-0 grow flex-col">
      <TimeBar />
      <div className="flex items-center gap-3 pb-2">
        <Button isDisabled={chosen.length === 0} onPress={compare}>{chosen.length < 2 ? "Compare with now" : "Compare both"}</Button>
        <span className="text-label text-dim">{chosen.length === 0 ? "Tick one or two rows to see what differs between them." : chosen.length === 1 ? "1 time chosen" : "2 times chosen"}</span>
      </div>
      {entries.length === 0 ? (
        <EmptyState title="Nothing happened yet">Each deployment and each change of health or sync is kept here.</EmptyState>
      ) : (
        <ol className="min-h-0 grow overflow-y-auto rounded-card border border-line">
          {entries.map((entry, index) => <Row key={index} entry={entry} starts={starts} isChosen={chosen.includes(entry.at)} onChoose={() => choose(entry.at)} />)}
          {(states.hasNextPage || records.hasNextPage) && (
            <li className="flex justify-center p-2">
              <Button tone="quiet" onPress={() => void Promise.all([states.hasNextPage && states.fetchNextPage(), records.hasNextPage && records.fetchNextPage()])}>Older</Button>
            </li>
          )}
        </ol>
      )}
    </div>
  );
}

function Row({ entry, starts, isChosen, onChoose }: { entry: Entry; starts: readonly number[]; isChosen: boolean; onChoose: () => void }) {
  const [, setAt] = useParam("at", true);
  return (
    <li className="flex min-h-10 items-center gap-3 border-b border-line px-3 py-1 last:border-b-0">
      <Checkbox aria-label="Choose this time to compare" isSelected={isChosen} onChange={onChoose} />
      <Time at={entry.at} className="numbers w-24 shrink-0 text-dim" />
      <div className="min-w-0 grow">{entry.kind === "deployment" ? <DeploymentText entry={entry} starts={starts} /> : <StateText entry={entry} />}</div>
      <Button tone="quiet" onPress={() => setAt(new Date(entry.at).toISOString())}>Show as it was</Button>
    </li>
  );
}

type DeploymentEntry = Entry & { kind: "deployment" };

/** A partial sync makes no deployment in Argo CD; a dry run is no record at all. */
function titleOf({ record: { operation }, isRollback }: DeploymentEntry): string {
  if (operation?.phase !== OperationPhase.SUCCEEDED) return "Sync ended without success";
  if (operation.deploymentId === undefined) return "Synced in part";
  return isRollback ? "Rolled back to" : "Deployed";
}

function DeploymentText({ entry, starts }: { entry: DeploymentEntry; starts: readonly number[] }) {
  const { record, isRollback } = entry;
  const operation = record.operation;
  const { word, state } = phaseState(operation?.phase);
  const commit = operation?.commit;
  const sha = commit?.sha || operation?.revisions[0];
  const issues = issueKeys(commit?.message ?? "");
  return (
    <div className="flex min-w-0 flex-col">
      <span className="flex min-w-0 flex-wrap items-center gap-x-2">
        <StateShape state={state} />
        <span className="font-medium">{titleOf(entry)}</span>
        {sha && <Revision>{sha}</Revision>}
        {commit && <span className="min-w-0 truncate">{plainLine(commit.message)}</span>}
        {issues.map((issue) => <Chip key={issue} tone="accent">{issue}</Chip>)}
        {isRollback && <Chip tone="warn">rollback</Chip>}
        <Images at={entry.at} starts={starts} />
      </span>
      <span className="flex min-w-0 flex-wrap gap-x-2 text-label text-dim">
        <span>{word}</span>
        {operation?.startedAt && <span className="numbers">in <Elapsed since={operation.startedAt} until={operation.finishedAt} /></span>}
        <span>by {operation?.automated ? "auto-sync" : operation?.initiatedBy || "unknown"}</span>
        {commit && <span>commit by {authorName(commit.author)}</span>}
        {operation?.message && state === "degraded" && <span className="min-w-0 truncate text-bad" title={operation.message}>{operation.message}</span>}
      </span>
    </div>
  );
}

/** The images of the newest deployments are looked up, and so many of each are named. */
const LOOKED_UP = 8;
const NAMED = 3;

/** The images that a deployment changed: what ran before it against what ran before the next one. */
function Images({ at, starts }: { at: number; starts: readonly number[] }) {
  const { application, at: shownAt } = useApp();
  const place = starts.indexOf(at);
  const isLookedUp = place < LOOKED_UP;
  const before = useImagesBefore(at, isLookedUp);
  const next = starts[place - 1];
  const later = useImagesBefore(next ?? at, isLookedUp && next !== undefined);
  const after = next === undefined ? (shownAt === undefined ? application.status?.images : undefined) : later;
  if (!before || !after) return null;
  const changes = imageChanges(before, after);
  return (
    <>
      {changes.slice(0, NAMED).map(({ name, from, to }) => (
        <code key={name} className="rounded-control bg-panel px-1.5 font-mono text-label">
          {name} {from && <span className="text-dim">{from}</span>} <span aria-label="to" className="text-dim">→</span> {to ?? "none"}
        </code>
      ))}
      {changes.length > NAMED && <span className="text-label text-dim">+{changes.length - NAMED} images</span>}
    </>
  );
}

function StateText({ entry: { state, before } }: { entry: Entry & { kind: "state" } }) {
  if (state.gone) return <StateMark state="missing">Deleted</StateMark>;
  const arrow = <span aria-label="to" className="text-dim">→</span>;
  const parts: ReactNode[] = [];
  if (!before || state.health !== before.health) parts.push(before && !before.gone && <StateMark key="a" state={healthState(before.health)} />, before && !before.gone && <span key="b">{arrow}</span>, <StateMark key="c" state={healthState(state.health)} />);
  if (!before || state.sync !== before.sync) parts.push(before && !before.gone && <StateMark key="d" state={syncState(before.sync)} />, before && !before.gone && <span key="e">{arrow}</span>, <StateMark key="f" state={syncState(state.sync)} />);
  return <span className="flex flex-wrap items-center gap-x-2">{parts}</span>;
}

/** Finds issue keys such as PAY-812 in a commit message. */
export function issueKeys(message: string): string[] {
  return [...new Set(message.match(/\b[A-Z][A-Z0-9]{1,9}-\d{1,7}\b/g) ?? [])].slice(0, 5);
}
