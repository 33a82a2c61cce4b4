import { Side } from "@contract/causeway/access/v1/access_pb";
import { Health, type PartStatus } from "@contract/causeway/platform/v1/part_service_pb";
import { Connection, type Runtime, type Session } from "@contract/causeway/platform/v1/runtime_service_pb";

/** All replicas of one part. */
export interface PartGroup {
  name: string;
  replicas: PartStatus[];
  serving: number;
}

/** A runtime with what is known of its parts. */
export interface RuntimeNode {
  runtime: Runtime;
  parts: PartGroup[];
  /** Replicas of its parts that do not serve, and parts with notices. */
  troubled: PartStatus[];
}

/** A tunnel server replica and the runtimes whose sessions it holds. */
export interface TunnelServerNode {
  /** The replica; empty for runtimes without a session. */
  server: string;
  runtimes: RuntimeNode[];
}

export interface Topology {
  platform: PartGroup[];
  /** Parts of the platform that do not serve or have notices. */
  troubled: PartStatus[];
  servers: TunnelServerNode[];
  /** Runtimes that no tunnel server holds: silent, reached by URL, or revoked. */
  detached: RuntimeNode[];
}

/** Joins runtimes and parts to the picture: platform, tunnel servers, runtimes. */
export function buildTopology(runtimes: readonly Runtime[], parts: readonly PartStatus[]): Topology {
  const nodes = runtimes.map((runtime) => runtimeNode(runtime, parts));
  const own = parts.filter((part) => part.side !== Side.RUNTIME);
  const held = new Map<string, RuntimeNode[]>(tunnelServers(own).map((server) => [server, []]));
  for (const node of nodes) {
    for (const server of serversOf(node.runtime)) held.set(server, [...(held.get(server) ?? []), node]);
  }
  return {
    platform: groupParts(own),
    troubled: own.filter(hasTrouble),
    servers: [...held].map(([server, runtimes]) => ({ server, runtimes })).sort((a, b) => a.server.localeCompare(b.server)),
    detached: nodes.filter((node) => node.runtime.sessions.length === 0),
  };
}

/** Collects what is known of one runtime. */
export function runtimeNode(runtime: Runtime, parts: readonly PartStatus[]): RuntimeNode {
  const own = parts.filter((part) => part.runtime === runtime.name);
  return { runtime, parts: groupParts(own), troubled: own.filter(hasTrouble) };
}

/** Groups replicas by the name of their part. */
export function groupParts(parts: readonly PartStatus[]): PartGroup[] {
  const groups = new Map<string, PartStatus[]>();
  for (const part of parts) groups.set(part.part, [...(groups.get(part.part) ?? []), part]);
  return [...groups]
    .map(([name, replicas]) => ({ name, replicas, serving: replicas.filter((it) => it.health === Health.SERVING).length }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

export function hasTrouble(part: PartStatus): boolean {
  return part.health !== Health.SERVING || part.notices.length > 0;
}

/** Tells if nothing is known of a runtime now: what is shown of it is its last report. */
export function isSilent(runtime: Runtime): boolean {
  return runtime.connection === Connection.OFFLINE;
}

/** Counts the reporters of a runtime that serve, and all. */
export function countReporters(node: RuntimeNode): { serving: number; all: number } {
  const reporters = node.parts.filter((group) => group.name.endsWith("event-reporter"));
  const sum = (count: (group: PartGroup) => number) => reporters.reduce((total, group) => total + count(group), 0);
  return { serving: sum((group) => group.serving), all: sum((group) => group.replicas.length) };
}

function tunnelServers(parts: readonly PartStatus[]): string[] {
  return parts.filter((part) => part.part === "tunnel-server").map((part) => part.instance);
}

function serversOf(runtime: Runtime): Set<string> {
  return new Set(runtime.sessions.map((session: Session) => session.server));
}

/** Returns the end of an instance id, which tells replicas apart; such ids start with the time. */
export function shortInstance(instance: string): string {
  return instance.split("-").at(-1) ?? instance;
}
