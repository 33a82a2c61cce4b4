import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { ReporterGroup } from "@contract/causeway/inventory/v1/reporter_service_pb";
import type { PartStatus } from "@contract/causeway/platform/v1/part_service_pb";
import { toMillis } from "@/format";
import type { State } from "@/words";

/** A cluster by what is reported of it. */
export interface Cluster {
  runtime: string;
  name: string;
  groups: ReporterGroup[];
  /** Kinds without a reporter. */
  silentKinds: string[];
  /** Notices of the runtime's parts about it: what cannot be read. */
  notices: string[];
  objects: bigint;
  lastSeen: Timestamp | undefined;
  state: ClusterState;
}

export type ClusterState = "Healthy" | "Degraded" | "Lost";

export const clusterStates: Record<ClusterState, State> = { Healthy: "healthy", Degraded: "degraded", Lost: "silent" };

/** Joins reporter groups and notices to clusters, by runtime and name, as the command line does. */
export function buildClusters(groups: readonly ReporterGroup[], parts: readonly PartStatus[]): Cluster[] {
  const byCluster = new Map<string, ReporterGroup[]>();
  for (const group of groups) {
    const key = JSON.stringify([group.runtime, group.cluster]);
    byCluster.set(key, [...(byCluster.get(key) ?? []), group]);
  }
  const clusters = [...byCluster.values()].map((own) => buildCluster(own, parts));
  return clusters.sort((a, b) => a.runtime.localeCompare(b.runtime) || a.name.localeCompare(b.name));
}

function buildCluster(groups: ReporterGroup[], parts: readonly PartStatus[]): Cluster {
  const { runtime = "", cluster: name = "" } = groups[0] ?? {};
  const silentKinds = groups.filter((group) => group.reporters.length === 0).map((group) => group.kind);
  const notices = parts.filter((part) => part.runtime === runtime).flatMap((part) => part.notices).filter((notice) => isAbout(notice, name));
  return {
    runtime,
    name,
    groups,
    silentKinds,
    notices: [...new Set(notices)],
    objects: groups.reduce((sum, group) => sum + group.objects, 0n),
    lastSeen: latest(groups.flatMap((group) => group.reporters.map((reporter) => reporter.lastHeardAt))),
    state: silentKinds.length === groups.length ? "Lost" : silentKinds.length === 0 && notices.length === 0 ? "Healthy" : "Degraded",
  };
}

/** Tells if a notice names the cluster, and not one whose name only starts like it. */
export function isAbout(notice: string, cluster: string): boolean {
  const named = `cluster ${cluster}`;
  for (let at = notice.indexOf(named); at >= 0; at = notice.indexOf(named, at + 1)) {
    if (!/^[\p{L}\p{N}\-._]/u.test(notice.slice(at + named.length))) return true;
  }
  return false;
}

function latest(times: readonly (Timestamp | undefined)[]): Timestamp | undefined {
  return times.reduce((best, time) => ((toMillis(time) ?? 0) > (toMillis(best) ?? 0) ? time : best), undefined);
}
