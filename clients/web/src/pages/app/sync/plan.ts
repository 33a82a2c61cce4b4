import { OperationPhase, SyncStatus, type Application, type Operation, type Resource } from "@contract/causeway/inventory/v1/application_pb";
import { plural } from "@/format";
import { resourceKey } from "../model/resource";

/** What a sync would do with one resource. */
export interface PlannedResource {
  key: string;
  resource: Resource;
  /** It differs from Git. */
  differs: boolean;
  /** It is not in Git any more; a sync with prune deletes it. */
  isPruned: boolean;
}

/** Returns what a sync works on: resources of Git and those that Git no longer has, what differs first. */
export function planOf(resources: readonly Resource[]): PlannedResource[] {
  return resources
    .filter(({ sync, requiresPruning, hook }) => !hook && (sync !== SyncStatus.UNSPECIFIED || requiresPruning))
    .map((resource) => ({ key: resourceKey(resource), resource, differs: resource.sync === SyncStatus.OUT_OF_SYNC, isPruned: resource.requiresPruning }))
    .sort((a, b) => rank(a) - rank(b) || a.resource.syncWave - b.resource.syncWave || a.key.localeCompare(b.key));
}

const rank = ({ differs, isPruned }: PlannedResource) => (isPruned ? 0 : differs ? 1 : 2);

/** What the tick list and the options come to. */
export interface Extent {
  synced: number;
  deleted: number;
  /** All are chosen, so the sync is not partial. */
  isWhole: boolean;
}

/** Counts what a sync touches: what differs if anything does, else all that is chosen. */
export function extentOf(plan: readonly PlannedResource[], chosen: ReadonlySet<string>, prune: boolean): Extent {
  const picked = plan.filter(({ key }) => chosen.has(key));
  const kept = picked.filter(({ isPruned }) => !isPruned);
  const differing = kept.filter(({ differs }) => differs).length;
  return { synced: differing || kept.length, deleted: prune ? picked.length - kept.length : 0, isWhole: picked.length === plan.length };
}

/** Writes the button's text: "Sync 5 resources, delete 1". */
export function buttonText({ synced, deleted }: Extent): string {
  const sync = `Sync ${plural(synced, "resource")}`;
  if (deleted === 0) return sync;
  return synced === 0 ? `Delete ${plural(deleted, "resource")}` : `${sync}, delete ${deleted}`;
}

/** Returns the operation that a request started, once the runtime has reported it. */
export function operationOf(application: Application, requestId: string): Operation | undefined {
  const operation = application.status?.operation;
  return requestId !== "" && operation?.requestId === requestId ? operation : undefined;
}

/** Reports if an operation has ended. */
export function isEnded({ phase }: Operation): boolean {
  return phase === OperationPhase.SUCCEEDED || phase === OperationPhase.FAILED || phase === OperationPhase.ERROR;
}
