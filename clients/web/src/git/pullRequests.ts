import { Provider } from "@contract/causeway/git/v1/integration_service_pb";
import { Mergeability, PullRequestState, type PullRequest } from "@contract/causeway/git/v1/pull_request_service_pb";
import type { State } from "@/words";

/** Reports if a kind of host has pull requests. */
export function hasPullRequests(provider: Provider | undefined): boolean {
  return provider !== undefined && provider !== Provider.GIT && provider !== Provider.UNSPECIFIED;
}

/** The words of the command line, and the state whose shape each has. */
export function pullRequestState(state: PullRequestState): { word: string; state: State } {
  switch (state) {
    case PullRequestState.OPEN:
      return { word: "open", state: "waiting" };
    case PullRequestState.CLOSED:
      return { word: "closed", state: "suspended" };
    case PullRequestState.MERGED:
      return { word: "merged", state: "healthy" };
    default:
      return { word: "unknown", state: "unknown" };
  }
}

/** Whether an open one could be merged, in words. */
export function mergeabilityText({ mergeability, blockedReason }: Pick<PullRequest, "mergeability" | "blockedReason">): string {
  switch (mergeability) {
    case Mergeability.MERGEABLE:
      return "yes";
    case Mergeability.CONFLICTING:
      return "conflicts";
    case Mergeability.BLOCKED:
      return blockedReason ? `blocked: ${blockedReason}` : "blocked";
    default:
      return "unknown";
  }
}
