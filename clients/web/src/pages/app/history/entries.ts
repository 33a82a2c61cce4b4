import { timestampMs } from "@bufbuild/protobuf/wkt";
import { HealthStatus, OperationPhase, SyncStatus } from "@contract/causeway/inventory/v1/application_pb";
import type { AcceptedState, DeploymentRecord } from "@contract/causeway/inventory/v1/application_service_pb";

/** One row of the timeline. */
export type Entry =
  | { kind: "deployment"; at: number; record: DeploymentRecord; isRollback: boolean }
  | { kind: "state"; at: number; state: AcceptedState; before: AcceptedState | undefined };

/** Merges deployments and changes of state, newest first; reports that change nothing visible are left out. */
export function entriesOf(states: readonly AcceptedState[], records: readonly DeploymentRecord[]): Entry[] {
  const changes = states.map((state, index): Entry => ({ kind: "state", at: millis(state.receivedAt), state, before: states[index + 1] })).filter((entry) => entry.kind !== "state" || isChange(entry.state, entry.before));
  const deployments = records.map((record, index): Entry => ({ kind: "deployment", at: millis(record.operation?.startedAt), record, isRollback: isRollback(record, records.slice(index + 1)) }));
  return [...changes, ...deployments].sort((a, b) => b.at - a.at);
}

function millis(at: Parameters<typeof timestampMs>[0] | undefined): number {
  return at ? timestampMs(at) : 0;
}

/** Reports if users would see a difference between two states. */
export function isChange(state: AcceptedState, before: AcceptedState | undefined): boolean {
  if (!before) return true;
  return state.gone !== before.gone || state.health !== before.health || state.sync !== before.sync;
}

/** A deployment of a revision that was deployed before, with another one in between. */
function isRollback({ operation }: DeploymentRecord, older: readonly DeploymentRecord[]): boolean {
  const revisions = operation?.revisions.join() ?? "";
  const previous = older[0]?.operation?.revisions.join() ?? "";
  return revisions !== "" && previous !== "" && revisions !== previous && older.some((each) => each.operation?.revisions.join() === revisions && each.operation.phase === OperationPhase.SUCCEEDED);
}

/** Returns the state that was shown at a time. */
export function stateAt(states: readonly AcceptedState[], at: number): AcceptedState | undefined {
  return states.find((state) => millis(state.receivedAt) <= at);
}

/** Returns the changes within a span, oldest first, for the marks of the slider. */
export function marksOf(states: readonly AcceptedState[], from: number): { at: number; isBad: boolean; isQuiet: boolean }[] {
  return states
    .map((state, index) => ({ state, before: states[index + 1], at: millis(state.receivedAt) }))
    .filter(({ state, before, at }) => at >= from && isChange(state, before))
    .map(({ state, at }) => ({ at, isBad: isBad(state), isQuiet: state.health === HealthStatus.HEALTHY && state.sync === SyncStatus.SYNCED }))
    .reverse();
}

function isBad({ health, gone }: AcceptedState): boolean {
  return gone || health === HealthStatus.DEGRADED || health === HealthStatus.MISSING;
}
