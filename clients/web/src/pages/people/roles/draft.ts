import { create } from "@bufbuild/protobuf";
import { RuleSchema, SelectorSchema, type Rule, type Selector } from "@contract/causeway/platform/v1/role_service_pb";

/** A rule as it is typed: three texts, in the words of the command line. */
export interface RuleDraft {
  actions: string;
  entities: string;
  /** FIELD=PATTERNS, with blanks between them. */
  where: string;
}

export const emptyDraft: RuleDraft = { actions: "", entities: "", where: "" };

const fields = {
  runtime: "runtimes",
  cluster: "clusters",
  project: "projects",
  namespace: "namespaces",
  name: "names",
  product: "products",
  environment: "environments",
} as const satisfies Record<string, keyof Selector>;

type Field = keyof typeof fields;

/** Reads what was typed; a text is what is wrong with it. */
export function parseRule(draft: RuleDraft): Rule | string {
  const actions = words(draft.actions);
  const entities = words(draft.entities);
  if (actions.length === 0) return "Name at least one action, or * for all.";
  if (entities.length === 0) return "Name at least one entity, or * for all.";
  const selector = parseWhere(draft.where);
  if (typeof selector === "string") return selector;
  return create(RuleSchema, { actions, entities, ...(selector ? { selector } : {}) });
}

function parseWhere(where: string): Selector | undefined | string {
  const parts = where.split(/\s+/).filter(Boolean);
  if (parts.length === 0) return undefined;
  const selector = create(SelectorSchema);
  for (const part of parts) {
    const [field = "", ...rest] = part.split("=");
    const values = rest.join("=");
    if (rest.length === 0 || values === "") return `'${part}' is not FIELD=PATTERNS.`;
    if (field.startsWith("label:")) selector.labels[field.slice("label:".length)] = values;
    else if (isField(field)) selector[fields[field]].push(...words(values));
    else return `No field '${field}': use ${Object.keys(fields).join(", ")} or label:KEY.`;
  }
  return selector;
}

function isField(text: string): text is Field {
  return text in fields;
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** Writes a rule as it is typed. */
export function draftOf(rule: Rule): RuleDraft {
  return { actions: rule.actions.join(","), entities: rule.entities.join(","), where: rule.selector ? whereText(rule.selector) : "" };
}

function whereText(selector: Selector): string {
  const lists = (Object.keys(fields) as Field[])
    .filter((field) => selector[fields[field]].length > 0)
    .map((field) => `${field}=${selector[fields[field]].join(",")}`);
  return [...lists, ...Object.entries(selector.labels).map(([key, value]) => `label:${key}=${value}`)].join(" ");
}

/** Writes a rule as the command line takes it. */
export function ruleText(rule: Rule): string {
  const { actions, entities, where } = draftOf(rule);
  return [actions, entities, where].filter(Boolean).join(" ");
}
