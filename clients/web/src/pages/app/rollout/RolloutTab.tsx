import type { LiveResource } from "@contract/causeway/inventory/v1/resource_service_pb";
import { useResources } from "@/data";
import { FailureState } from "@/failure";
import { EmptyState, SkeletonRows } from "@/ui";
import { useApp } from "../context";
import { RolloutCard } from "./RolloutCard";

/** A rollout moves while one looks. */
const INTERVAL = 3_000;

/** The rollouts of the application: their steps, analysis runs, pods and actions. */
export default function RolloutTab() {
  const { key } = useApp();
  const filter = { runtime: key.runtime, application: key.name, applicationNamespace: key.namespace };
  const rollouts = useResources({ filter: { ...filter, kind: "Rollout" }, view: 2 }, { interval: INTERVAL });
  const analyses = useResources({ filter: { ...filter, kind: "AnalysisRun" }, view: 2, pageSize: 200 }, { interval: INTERVAL });
  if (rollouts.error) return <FailureState error={rollouts.error} what="read the rollouts" onRetry={() => void rollouts.refetch()} />;
  if (!rollouts.data) return <SkeletonRows />;
  const found = rollouts.data.pages.flatMap((page) => page.resources);
  const runs = analyses.data?.pages.flatMap((page) => page.resources) ?? [];
  if (found.length === 0) return <EmptyState title="No rollout is reported">The runtime reports rollouts when Argo Rollouts runs in its cluster.</EmptyState>;
  return (
    <div className="flex min-h-0 grow flex-col gap-4 overflow-y-auto">
      {found.map((each) => <RolloutCard key={each.uid} resource={each} runs={runs.filter((run) => isOwnedBy(run, each))} />)}
    </div>
  );
}

function isOwnedBy(run: LiveResource, rollout: LiveResource): boolean {
  return run.cluster === rollout.cluster && run.namespace === rollout.namespace && (run.owners.some(({ uid }) => uid === rollout.uid) || run.name.startsWith(`${rollout.name}-`));
}
