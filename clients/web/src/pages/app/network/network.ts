import type { Resource, ResourceName } from "@contract/causeway/inventory/v1/application_pb";
import { resourceKey } from "../model/resource";

/** One step of the way of traffic: a resource and where it leads. */
export interface Hop {
  resource: Resource;
  targets: Hop[];
  /** Targets that are named but not in the application. */
  absent: ResourceName[];
}

const entries = ["Ingress", "Gateway", "HTTPRoute", "Route", "VirtualService"];

/** Builds the ways of traffic: those with outside addresses first, then services that nothing leads to. */
export function waysOf(resources: readonly Resource[]): Hop[] {
  const byKey = new Map(resources.map((resource) => [resourceKey(resource), resource]));
  const find = (name: ResourceName) => byKey.get(resourceKey(name)) ?? resources.find((each) => each.kind === name.kind && each.name === name.name && each.namespace === name.namespace);
  const targeted = new Set(resources.flatMap(({ network }) => network?.targets ?? []).map(find).filter((each) => each !== undefined));
  const hop = (resource: Resource, above: readonly Resource[]): Hop => {
    const named = resource.network?.targets ?? [];
    const found = named.map(find);
    return {
      resource,
      targets: found.filter((each) => each !== undefined && !above.includes(each)).map((each) => hop(each as Resource, [...above, resource])),
      absent: named.filter((_, index) => found[index] === undefined),
    };
  };
  const first = resources.filter((resource) => isEntry(resource) && !targeted.has(resource));
  return first.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name)).map((resource) => hop(resource, []));
}

function isEntry({ kind, network }: Resource): boolean {
  return entries.includes(kind) || kind === "Service" || (network !== undefined && network.targets.length > 0);
}

function rank({ kind }: Resource): number {
  return entries.includes(kind) ? 0 : 1;
}

/** Reports if traffic ends at a resource that should lead on. */
export function isDeadEnd({ resource, targets }: Hop): boolean {
  return targets.length === 0 && (entries.includes(resource.kind) || resource.kind === "Service");
}

/** Says why nothing answers. */
export function deadEndReason({ resource, absent }: Hop): string {
  if (absent.length > 0) return `${absent[0]?.kind} ${absent[0]?.name} is not in the application`;
  return resource.kind === "Service" ? "No pod matches its selector" : "It leads to no service";
}
