import type { FilterName, Filters } from "./url";

/** What the filter field says: words to find, and conditions such as label:team=a or -project:x. */
export interface TextFilter {
  text: string;
  filters: Filters;
}

/** The conditions that can be typed; some fields have a short name. */
export const typedNames: Record<string, FilterName> = {
  health: "health",
  sync: "sync",
  op: "operation",
  operation: "operation",
  runtime: "runtime",
  cluster: "cluster",
  ns: "namespace",
  namespace: "namespace",
  project: "project",
  name: "name",
  source: "source",
  repo: "repository",
  repository: "repository",
  parent: "parent",
  label: "label",
};

/** States with a short word: is:broken. */
export const shortStates: Record<string, [FilterName, string[]]> = {
  broken: ["health", ["degraded", "missing"]],
  degraded: ["health", ["degraded"]],
  healthy: ["health", ["healthy"]],
  progressing: ["health", ["progressing"]],
  missing: ["health", ["missing"]],
  suspended: ["health", ["suspended"]],
  synced: ["sync", ["synced"]],
  drifted: ["sync", ["outOfSync"]],
  running: ["operation", ["running"]],
  failed: ["operation", ["failed", "error"]],
  auto: ["automated", ["yes"]],
  manual: ["automated", ["no"]],
};

/** Reads the filter field; a word that is no condition is text to find. */
export function readText(text: string): TextFilter {
  const words: string[] = [];
  const filters: Filters = {};
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, minus = "", name = "", value = ""] = /^(-?)([a-z]+):(.+)$/.exec(word) ?? [];
    const [field, values] = name === "is" ? (shortStates[value] ?? []) : [typedNames[name], splitValues(name, value)];
    if (!field || !values) {
      // A condition that is still being typed finds nothing by itself.
      if (!/^-?[a-z]+:$/.test(word)) words.push(word);
      continue;
    }
    filters[field] = [...(filters[field] ?? []), ...values.map((each) => (minus ? `!${each}` : each))];
  }
  return { text: words.join(" "), filters };
}

/** Commas separate values, but in a label selector they mean "and". */
function splitValues(name: string, value: string): string[] {
  return name === "label" ? [value] : value.split(",").filter(Boolean);
}
