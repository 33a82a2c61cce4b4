import type { State } from "@/words";

/** Maps the phase of a workflow or node, in the words of Argo Workflows, to the state whose shape it has. */
export function workflowState(phase: string): State {
  switch (phase) {
    case "Running":
      return "running";
    case "Succeeded":
      return "healthy";
    case "Failed":
    case "Error":
      return "degraded";
    case "Pending":
    case "":
      return "waiting";
    case "Skipped":
    case "Omitted":
      return "suspended";
    default:
      return "unknown";
  }
}

/** Reports if a workflow has ended, so that it can be retried and not stopped. */
export function hasEnded(phase: string): boolean {
  return phase === "Succeeded" || phase === "Failed" || phase === "Error";
}
