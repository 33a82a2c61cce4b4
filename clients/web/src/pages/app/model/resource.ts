import { HealthStatus, SyncStatus, type Resource, type ResourceName } from "@contract/causeway/inventory/v1/application_pb";
import { healthState, syncState } from "@/state";
import type { State } from "@/words";

/** What identifies a resource of one application. */
export type ResourceIdentity = Pick<ResourceName, "group" | "kind" | "namespace" | "name">;

/** Writes a resource as the URL does: KIND[.GROUP]/NAMESPACE/NAME. */
export function resourceKey({ group, kind, namespace, name }: ResourceIdentity): string {
  return `${group ? `${kind}.${group}` : kind}/${namespace}/${name}`;
}

/** Reads the form that resourceKey writes. */
export function parseResourceKey(key: string): ResourceIdentity | undefined {
  const [type = "", namespace = "", ...rest] = key.split("/");
  const name = rest.join("/");
  if (!type || !name) return undefined;
  const dot = type.indexOf(".");
  return { kind: dot < 0 ? type : type.slice(0, dot), group: dot < 0 ? "" : type.slice(dot + 1), namespace, name };
}

/** The order of states by how much they need a person; also that of the list's groups. */
const order: readonly HealthStatus[] = [
  HealthStatus.DEGRADED,
  HealthStatus.MISSING,
  HealthStatus.UNKNOWN,
  HealthStatus.PROGRESSING,
  HealthStatus.SUSPENDED,
  HealthStatus.HEALTHY,
  HealthStatus.UNSPECIFIED,
];

/** Returns 0 for the worst health. */
export function healthRank(resource: Resource): number {
  return order.indexOf(resource.health?.status ?? HealthStatus.UNSPECIFIED);
}

/** Reports if a resource needs a person: it is neither healthy nor synced. */
export function isBroken(resource: Resource): boolean {
  const health = resource.health?.status ?? HealthStatus.UNSPECIFIED;
  return isBadHealth(health) || resource.sync === SyncStatus.OUT_OF_SYNC || resource.requiresPruning;
}

function isBadHealth(health: HealthStatus): boolean {
  return health === HealthStatus.DEGRADED || health === HealthStatus.MISSING || health === HealthStatus.UNKNOWN;
}

/** Reports if nothing about a resource asks for attention. */
export function isQuiet(resource: Resource): boolean {
  const health = resource.health?.status ?? HealthStatus.UNSPECIFIED;
  return !isBroken(resource) && (health === HealthStatus.HEALTHY || health === HealthStatus.UNSPECIFIED);
}

/** Returns the state that the resource's mark shows; undefined for kinds without health. */
export function resourceState(resource: Resource): State | undefined {
  const health = resource.health?.status ?? HealthStatus.UNSPECIFIED;
  return health === HealthStatus.UNSPECIFIED ? undefined : healthState(health);
}

/** Returns the sync state that is shown; undefined for resources that are not in Git. */
export function resourceSync(resource: Resource): State | undefined {
  return resource.sync === SyncStatus.UNSPECIFIED ? undefined : syncState(resource.sync);
}

/** Returns the resource whose trouble explains the application's, with a message if one has it. */
export function worstResource(resources: readonly Resource[]): Resource | undefined {
  const bad = resources.filter((resource) => healthRank(resource) < order.indexOf(HealthStatus.PROGRESSING) || isProgressingWithMessage(resource));
  const rank = (resource: Resource) => healthRank(resource) * 4 + (resource.health?.message ? 0 : 2) + (resource.kind === "Pod" ? 0 : 1);
  return bad.sort((a, b) => rank(a) - rank(b))[0];
}

function isProgressingWithMessage(resource: Resource): boolean {
  return resource.health?.status === HealthStatus.PROGRESSING && resource.health.message !== "";
}

/** Returns "READY/WANTED" and the other short facts that stand in a box. */
export function shortFacts(resource: Resource): string {
  return resource.info
    .filter(({ name }) => !/images?|revision|node|uid/i.test(name))
    .slice(0, 2)
    .map(({ name, value }) => (/restart/i.test(name) ? `${value} restarts` : value))
    .join(" · ");
}
