import { MergeMethod, MergeOutcome, PullRequestService, type MergePullRequestResponse, type PullRequest } from "@contract/causeway/git/v1/pull_request_service_pb";
import { useChange } from "@/admin";

/** How commits come to the base branch, in the words of the command line. */
export const mergeMethods = [
  { key: "merge", text: "By a merge commit", value: MergeMethod.MERGE },
  { key: "squash", text: "As one commit", value: MergeMethod.SQUASH },
  { key: "rebase", text: "As they are, on top of the base branch", value: MergeMethod.REBASE },
] as const;
export type MergeKey = (typeof mergeMethods)[number]["key"];

export interface PullRequestPlace {
  runtime: string;
  integration: string;
  repository: string;
}

/** Merges the commit of a pull request that was looked at, and no later one. */
export function useMerge(place: PullRequestPlace, { number, head }: Pick<PullRequest, "number" | "head">, onDone: (response: MergePullRequestResponse) => void) {
  const change = useChange(PullRequestService.method.mergePullRequest, { scope: `${place.runtime}/${place.repository}/${number}`, onDone });
  const run = (method: MergeKey, whenRulesAreMet: boolean) => change.run({ ...place, number, head, method: mergeMethods.find(({ key }) => key === method)?.value ?? MergeMethod.MERGE, whenRulesAreMet });
  return { ...change, run };
}

/** What came of a merge, for a person. */
export function mergeText({ outcome, reason }: MergePullRequestResponse): string {
  const why = reason ? ` ${reason}` : "";
  switch (outcome) {
    case MergeOutcome.MERGED:
      return "It is merged.";
    case MergeOutcome.SCHEDULED:
      return "The host merges it once its rules are met.";
    case MergeOutcome.NOT_YET:
      return `The host still computes if it can be merged. Merge it again in a moment.${why}`;
    case MergeOutcome.HEAD_MOVED:
      return "Its branch has another commit now. Look at it first, then merge.";
    case MergeOutcome.CLOSED:
      return "It was closed without a merge.";
    default:
      return `The host did not merge it.${why}`;
  }
}
