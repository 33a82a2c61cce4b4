import type { Operation } from "@contract/causeway/inventory/v1/application_pb";
import { useState } from "react";
import { Name, plural } from "@/format";
import { phaseState, StateMark, StateShape } from "@/state";
import { Button, Checkbox, Switch } from "@/ui";
import { isEnded, type PlannedResource } from "./plan";

interface PlanListProps {
  plan: readonly PlannedResource[];
  /** Resources that are left out. */
  left: ReadonlySet<string>;
  onLeft: (left: ReadonlySet<string>) => void;
  prune: boolean;
  /** The dry run, once it is reported. */
  dryRun: Operation | undefined;
  isRunning: boolean;
}

/** The tick list of a sync, with what the dry run says about each resource. */
export function PlanList({ plan, left, onLeft, prune, dryRun, isRunning }: PlanListProps) {
  const differing = plan.filter(({ differs, isPruned }) => differs || isPruned);
  const [showsAll, setShowsAll] = useState(differing.length === 0);
  const shown = showsAll ? plan : differing;
  const toggle = (key: string) => {
    const next = new Set(left);
    if (!next.delete(key)) next.add(key);
    onLeft(next);
  };
  return (
    <section aria-label="What changes" className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="font-semibold">{differing.length === 0 ? "Nothing differs" : `${plural(differing.length, "resource")} ${differing.length === 1 ? "differs" : "differ"}`}</h3>
        <DryRunState dryRun={dryRun} isRunning={isRunning} />
        <span className="grow" />
        {differing.length > 0 && <Switch isSelected={showsAll} onChange={setShowsAll}>Show all {plan.length}</Switch>}
        <Button tone="quiet" onPress={() => onLeft(left.size > 0 ? new Set() : new Set(plan.map(({ key }) => key)))}>{left.size > 0 ? "Choose all" : "Choose none"}</Button>
      </div>
      <ul className="max-h-72 overflow-y-auto rounded-card border border-line">
        {shown.map((each) => <PlanRow key={each.key} each={each} prune={prune} isChosen={!left.has(each.key)} onToggle={() => toggle(each.key)} dryRun={dryRun} />)}
        {shown.length === 0 && <li className="p-3 text-dim">No resource to sync.</li>}
      </ul>
    </section>
  );
}

function DryRunState({ dryRun, isRunning }: { dryRun: Operation | undefined; isRunning: boolean }) {
  if (!dryRun) return isRunning ? <StateMark state="running">Dry run</StateMark> : null;
  const { word, state } = phaseState(dryRun.phase);
  return (
    <span className="flex min-w-0 items-center gap-2">
      <StateMark state={state}>{`Dry run ${word}`}</StateMark>
      {isEnded(dryRun) && state === "degraded" && <span className="truncate text-label text-bad" title={dryRun.message}>{dryRun.message}</span>}
    </span>
  );
}

interface PlanRowProps {
  each: PlannedResource;
  prune: boolean;
  isChosen: boolean;
  onToggle: () => void;
  dryRun: Operation | undefined;
}

function PlanRow({ each: { resource, isPruned, differs }, prune, isChosen, onToggle, dryRun }: PlanRowProps) {
  const outcome = dryRun?.resources.find(({ group, kind, namespace, name }) => group === resource.group && kind === resource.kind && namespace === resource.namespace && name === resource.name);
  const what = isPruned ? (prune ? "is deleted" : "not in Git, stays without prune") : differs ? "changes" : "matches";
  return (
    <li className="flex min-h-8 items-center gap-2 border-b border-line px-3 last:border-b-0">
      <Checkbox aria-label={`${resource.kind} ${resource.name}`} isSelected={isChosen} onChange={onToggle} />
      <StateShape state={isPruned && prune ? "missing" : differs || isPruned ? "outOfSync" : "synced"} />
      <span className="w-32 shrink-0 truncate text-dim max-wide:hidden">{resource.kind}</span>
      <span className="min-w-0"><Name>{resource.name}</Name></span>
      <span className={isPruned && prune ? "shrink-0 text-bad" : "shrink-0 text-dim"}>{what}</span>
      <span className="grow" />
      {outcome && <span className={outcome.status.includes("Fail") ? "max-w-[45%] truncate text-label text-bad" : "max-w-[45%] truncate text-label text-dim"} title={outcome.message}>{outcome.message || outcome.status}</span>}
      {resource.syncWave !== 0 && <span className="numbers shrink-0 text-label text-dim">wave {resource.syncWave}</span>}
    </li>
  );
}
