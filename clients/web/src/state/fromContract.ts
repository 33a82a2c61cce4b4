import { HealthStatus, OperationPhase, SyncStatus } from "@contract/causeway/inventory/v1/application_pb";
import type { State } from "@/words";

/** Maps a health of the contract to the state that is shown. */
export function healthState(health: HealthStatus | undefined): State {
  switch (health) {
    case HealthStatus.HEALTHY:
      return "healthy";
    case HealthStatus.PROGRESSING:
      return "progressing";
    case HealthStatus.DEGRADED:
      return "degraded";
    case HealthStatus.SUSPENDED:
      return "suspended";
    case HealthStatus.MISSING:
      return "missing";
    default:
      return "unknown";
  }
}

/** Maps a sync state of the contract to the state that is shown. */
export function syncState(sync: SyncStatus | undefined): State {
  if (sync === SyncStatus.SYNCED) return "synced";
  return sync === SyncStatus.OUT_OF_SYNC ? "outOfSync" : "unknown";
}

/** Maps the phase of an operation to its word and the state whose shape it has. */
export function phaseState(phase: OperationPhase | undefined): { word: string; state: State } {
  switch (phase) {
    case OperationPhase.RUNNING:
      return { word: "Running", state: "running" };
    case OperationPhase.TERMINATING:
      return { word: "Terminating", state: "running" };
    case OperationPhase.SUCCEEDED:
      return { word: "Succeeded", state: "healthy" };
    case OperationPhase.FAILED:
      return { word: "Failed", state: "degraded" };
    case OperationPhase.ERROR:
      return { word: "Error", state: "degraded" };
    default:
      return { word: "Unknown", state: "unknown" };
  }
}
