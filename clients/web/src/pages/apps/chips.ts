import { plural } from "@/format";
import { filterNames, type FilterName } from "@/data/url";
import type { Apps } from "./useApps";

export interface FilterChip {
  id: string;
  text: string;
  remove: () => void;
}

/** Lists the conditions in force, each with what takes it away. */
export function chipsOf(apps: Apps): FilterChip[] {
  const { query, change, toggle } = apps;
  const chips = filterNames.flatMap((name): FilterChip[] => {
    const values = query.filters[name] ?? [];
    if (values.length === 0) return [];
    // Keys are chosen by another page and mean nothing one by one.
    if (name === "keys") return [{ id: name, text: plural(values.length, "chosen app"), remove: () => change({ filters: { ...query.filters, keys: [] } }) }];
    return values.map((value) => ({ id: `${name}:${value}`, text: chipText(name, value), remove: () => toggle(name, value) }));
  });
  if (query.favourites) chips.push({ id: "favourites", text: "favourites", remove: () => change({ favourites: false }) });
  if (query.changed) chips.push({ id: "changed", text: `changed within ${query.changed}`, remove: () => change({ changed: "" }) });
  return chips;
}

function chipText(name: FilterName, value: string): string {
  const isExcluded = value.startsWith("!");
  return `${isExcluded ? "not " : ""}${name}: ${isExcluded ? value.slice(1) : value}`;
}
