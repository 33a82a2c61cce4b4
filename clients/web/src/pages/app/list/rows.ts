import type { Resource } from "@contract/causeway/inventory/v1/application_pb";
import { states } from "@/words";
import { healthRank, isBroken, resourceKey, resourceState } from "../model/resource";

/** A row of the list: a group's head or a resource. */
export interface ListRow {
  id: string;
  title?: string;
  count?: number;
  resource?: Resource;
}

export const groupings = {
  state: { text: "By state", of: stateGroup, rank: (resource: Resource) => healthRank(resource) },
  kind: { text: "By kind", of: (resource: Resource) => resource.kind, rank: () => 0 },
  wave: { text: "By wave", of: waveGroup, rank: (resource: Resource) => resource.syncWave },
  namespace: { text: "By namespace", of: (resource: Resource) => resource.namespace || "Cluster-wide", rank: () => 0 },
} as const;
export type Grouping = keyof typeof groupings;

function stateGroup(resource: Resource): string {
  const state = resourceState(resource);
  return state ? states[state].word : "Without health";
}

function waveGroup(resource: Resource): string {
  return resource.parentUids.length > 0 ? "Created by others" : `Wave ${resource.syncWave}`;
}

/** Returns the rows of a list in groups; what is broken leads each group. */
export function groupRows(resources: readonly Resource[], grouping: Grouping): ListRow[] {
  const { of, rank } = groupings[grouping];
  const groups = new Map<string, Resource[]>();
  for (const resource of resources) {
    const title = of(resource);
    const members = groups.get(title);
    if (members) members.push(resource);
    else groups.set(title, [resource]);
  }
  const lead = (members: readonly Resource[]) => Math.min(...members.slice(0, 1).map(rank));
  return [...groups]
    .sort(([a, first], [b, second]) => lead(first) - lead(second) || a.localeCompare(b, undefined, { numeric: true }))
    .flatMap(([title, members]) => [{ id: `group:${title}`, title, count: members.length }, ...members.sort(byTrouble).map((resource) => ({ id: `${resource.uid}${resourceKey(resource)}`, resource }))]);
}

function byTrouble(a: Resource, b: Resource): number {
  return Number(isBroken(b)) - Number(isBroken(a)) || healthRank(a) - healthRank(b) || `${a.kind}/${a.name}`.localeCompare(`${b.kind}/${b.name}`, undefined, { numeric: true });
}
