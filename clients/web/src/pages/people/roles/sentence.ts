import type { Rule, Selector } from "@contract/causeway/platform/v1/role_service_pb";

const entityWords: Record<string, string> = {
  "api-key": "API keys",
  audit: "the audit log",
  exec: "shells in pods",
  "identity-provider": "identity providers",
  identity: "linked identities",
  key: "platform keys",
  log: "logs",
  "saved-view": "saved views",
  "service-account": "service accounts",
};

const actionWords: Record<string, string> = {
  "set-roles": "set the roles of",
  "set-image": "set the image of",
  action: "run actions of",
  undo: "undo",
};

/** Says what a rule allows: "may sync applications of project payments in prod-*". */
export function ruleSentence(rule: Pick<Rule, "entities" | "actions" | "selector">): string {
  const { entities, actions, selector } = rule;
  const where = selector ? conditions(selector) : [];
  return ["may", whatOf(actions, entities), ...where].join(" ");
}

function whatOf(actions: readonly string[], entities: readonly string[]): string {
  const isAllActions = actions.includes("*");
  const isAllEntities = entities.includes("*");
  if (isAllActions && isAllEntities) return "do everything";
  const things = isAllEntities ? "everything" : list(entities.map((entity) => entityWords[entity] ?? `${entity.replaceAll("-", " ")}s`), "and");
  if (isAllActions) return `do everything with ${things}`;
  return `${list(actions.map((action) => actionWords[action] ?? action.replaceAll("-", " ")), "and")} ${things}`;
}

/** The conditions of a selector, each with the preposition that it is read with. */
export function conditions(selector: Selector): string[] {
  const { names, projects, namespaces, clusters, runtimes, products, environments, labels } = selector;
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const parts: [string, readonly string[]][] = [
    ["named", names],
    [projects.length > 1 ? "of projects" : "of project", projects],
    ["with label", pairs],
    [products.length > 1 ? "of products" : "of product", products],
    [environments.length > 1 ? "of environments" : "of environment", environments],
    [namespaces.length > 1 ? "in namespaces" : "in namespace", namespaces],
    [clusters.length > 1 ? "of clusters" : "of cluster", clusters],
    ["in", runtimes],
  ];
  return parts.filter(([, values]) => values.length > 0).map(([lead, values]) => `${lead} ${list(values, values === pairs ? "and" : "or")}`);
}

function list(words: readonly string[], last: "and" | "or"): string {
  if (words.length < 2) return words[0] ?? "nothing";
  return `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** Tells why a rule matches nothing, or undefined where it may match. */
export function emptyReason(rule: Pick<Rule, "entities" | "actions" | "selector">, permissions: readonly string[]): string | undefined {
  if (rule.selector && (rule.selector.products.length > 0 || rule.selector.environments.length > 0)) {
    return "Objects have no product or environment yet, so it matches nothing.";
  }
  if (permissions.length === 0 || rule.actions.length === 0 || rule.entities.length === 0) return undefined;
  const matches = permissions.some((permission) => {
    const [entity = "", action = ""] = permission.split(".");
    return isIn(rule.entities, entity) && isIn(rule.actions, action);
  });
  return matches ? undefined : "No permission has one of these actions on one of these entities.";
}

function isIn(words: readonly string[], word: string): boolean {
  return words.includes("*") || words.includes(word);
}
