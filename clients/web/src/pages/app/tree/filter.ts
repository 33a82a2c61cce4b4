import type { Resource } from "@contract/causeway/inventory/v1/application_pb";
import { states, type State } from "@/words";
import { useParam, useSetParams } from "../data/search";
import { isBroken, resourceState, resourceSync } from "../model/resource";

export interface ResourceFilter {
  text: string;
  kind: string;
  state: string;
  onlyBroken: boolean;
}

/** The filter of tree and list, as the URL has it. */
export function useResourceFilter(): [ResourceFilter, (change: Partial<ResourceFilter>) => void] {
  const [text = ""] = useParam("q");
  const [kind = ""] = useParam("kind");
  const [state = ""] = useParam("state");
  const [only] = useParam("only");
  const set = useSetParams();
  const change = (next: Partial<ResourceFilter>) =>
    set({
      ...("text" in next ? { q: next.text || undefined } : {}),
      ...("kind" in next ? { kind: next.kind || undefined } : {}),
      ...("state" in next ? { state: next.state || undefined } : {}),
      ...("onlyBroken" in next ? { only: next.onlyBroken ? "broken" : undefined } : {}),
    });
  return [{ text, kind, state, onlyBroken: only === "broken" }, change];
}

/** Reports if any condition is set. */
export function isFiltering({ text, kind, state, onlyBroken }: ResourceFilter): boolean {
  return Boolean(text || kind || state || onlyBroken);
}

/** Returns the predicate of a filter; each word of the text must occur in kind, name, namespace or an image. */
export function matcherOf({ text, kind, state, onlyBroken }: ResourceFilter): (resource: Resource) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (resource) => {
    if (kind && resource.kind !== kind) return false;
    if (onlyBroken && !isBroken(resource)) return false;
    if (state && resourceState(resource) !== state && resourceSync(resource) !== state) return false;
    const all = `${resource.kind} ${resource.namespace}/${resource.name} ${resource.images.join(" ")}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
}

/** The states to choose from, those that occur. */
export function statesOf(resources: readonly Resource[]): { key: State; text: string; note: string }[] {
  const counts = new Map<State, number>();
  for (const resource of resources) {
    for (const state of [resourceState(resource), resourceSync(resource)]) if (state) counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => ({ key, text: states[key].word, note: String(count) }));
}

/** The kinds to choose from, with their counts. */
export function kindsOf(resources: readonly Resource[]): { key: string; text: string; note: string }[] {
  const counts = new Map<string, number>();
  for (const { kind } of resources) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([key, count]) => ({ key, text: key, note: String(count) }));
}
