import { DeliveryState, WebhookProvider, type DeliveryOutcome, type WebhookDelivery } from "@contract/causeway/webhook/v1/webhook_service_pb";
import type { State } from "@/words";

/** Names of the senders, in the order of the contract. */
export const senders: Record<WebhookProvider, string> = {
  [WebhookProvider.UNSPECIFIED]: "–",
  [WebhookProvider.GITHUB]: "GitHub",
  [WebhookProvider.GITLAB]: "GitLab",
  [WebhookProvider.BITBUCKET_CLOUD]: "Bitbucket Cloud",
  [WebhookProvider.BITBUCKET_DATA_CENTER]: "Bitbucket Data Center",
  [WebhookProvider.AZURE_DEVOPS]: "Azure DevOps",
  [WebhookProvider.GITEA]: "Gitea or Forgejo",
  [WebhookProvider.STANDARD]: "Standard Webhooks",
};

/** The words of the command line for states of a delivery. */
export const deliveryStates = [
  { key: "pending", value: DeliveryState.PENDING, state: "waiting" },
  { key: "done", value: DeliveryState.DONE, state: "healthy" },
  { key: "dead", value: DeliveryState.DEAD, state: "degraded" },
] as const satisfies readonly { key: string; value: DeliveryState; state: State }[];
export type DeliveryKey = (typeof deliveryStates)[number]["key"];

export function deliveryState(value: DeliveryState): { word: string; state: State } {
  const found = deliveryStates.find((each) => each.value === value);
  return found ? { word: found.key, state: found.state } : { word: "unknown", state: "unknown" };
}

/** The worst of the outcomes stands for a delivery: one that is dead, else one that is pending. */
export function worstOutcome(outcomes: readonly DeliveryOutcome[]): DeliveryState {
  const states = outcomes.map(({ state }) => state);
  return [DeliveryState.DEAD, DeliveryState.PENDING, DeliveryState.DONE].find((state) => states.includes(state)) ?? DeliveryState.UNSPECIFIED;
}

/** A reference as people write it: main for refs/heads/main, and that it is new or gone. */
export function referenceText({ references, pullRequest }: Pick<WebhookDelivery, "references" | "pullRequest">): string {
  const [first] = references;
  if (!first) return pullRequest > 0n ? `pull request ${pullRequest}` : "";
  const name = first.name.replace(/^refs\/(?:heads|tags)\//, "");
  const what = first.after === "" ? `${name} deleted` : first.before === "" ? `${name} new` : name;
  return references.length > 1 ? `${what} and ${references.length - 1} more` : what;
}

/** Writes a repository without what all have in common. */
export function shortRepository(url: string): string {
  return url.replace(/^\w+:\/\//, "").replace(/\.git$/, "");
}
