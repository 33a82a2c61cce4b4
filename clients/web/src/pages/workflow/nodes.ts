import type { WorkflowNode } from "@contract/causeway/inventory/v1/resource_pb";
import { toMillis } from "@/format/Time";

/** A node in the order of the list, with its depth and its part of the workflow's time. */
export interface NodeRow {
  node: WorkflowNode;
  depth: number;
  /** Start and end as shares of the whole time, 0 to 1; undefined before the start. */
  span: { from: number; to: number } | undefined;
}

/** Orders nodes as a tree from the roots, siblings by their start; a node with several parents is listed once. */
export function toRows(nodes: readonly WorkflowNode[], now: number): NodeRow[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isChild = new Set(nodes.flatMap(({ children }) => children));
  const whole = timeOf(nodes, now);
  const rows: NodeRow[] = [];
  const visited = new Set<string>();
  const visit = (start: readonly WorkflowNode[], depth: number) => {
    for (const node of withSuccessors(start, byId, visited)) {
      rows.push({ node, depth, span: spanOf(node, whole, now) });
      if (!followsInOrder(node)) visit(childrenOf(node, byId), depth + 1);
    }
  };
  visit(nodes.filter(({ id }) => !isChild.has(id)), 0);
  // A cycle has no root; its nodes are listed all the same.
  visit(nodes, 0);
  return rows;
}

/** Returns the nodes and what follows them step by step, by their start, and marks them as visited. */
function withSuccessors(start: readonly WorkflowNode[], byId: NodesById, visited: Set<string>): WorkflowNode[] {
  const found: WorkflowNode[] = [];
  const queue = [...start];
  for (let node = queue.shift(); node; node = queue.shift()) {
    if (visited.has(node.id)) continue;
    visited.add(node.id);
    found.push(node);
    if (followsInOrder(node)) queue.push(...childrenOf(node, byId));
  }
  return found.sort((left, right) => startOf(left) - startOf(right));
}

type NodesById = ReadonlyMap<string, WorkflowNode>;

function childrenOf({ children }: WorkflowNode, byId: NodesById): WorkflowNode[] {
  return children.flatMap((id) => byId.get(id) ?? []);
}

/** What has not started comes last; equal numbers keep the order of the workflow. */
function startOf({ startedAt }: WorkflowNode): number {
  return toMillis(startedAt) ?? Number.MAX_SAFE_INTEGER;
}

/** The successors of a pod or a pause are the next steps and no parts of it. */
function followsInOrder({ type }: WorkflowNode): boolean {
  return type === "Pod" || type === "Suspend" || type === "Container" || type === "HTTP" || type === "Plugin";
}

interface Whole {
  from: number;
  length: number;
}

function timeOf(nodes: readonly WorkflowNode[], now: number): Whole {
  const started = nodes.flatMap(({ startedAt }) => toMillis(startedAt) ?? []);
  const from = Math.min(...started, now);
  const to = Math.max(...nodes.map(({ startedAt, finishedAt }) => toMillis(finishedAt) ?? (startedAt ? now : from)), from);
  return { from, length: Math.max(1, to - from) };
}

function spanOf({ startedAt, finishedAt }: WorkflowNode, { from, length }: Whole, now: number): NodeRow["span"] {
  const start = toMillis(startedAt);
  if (start === undefined) return undefined;
  const share = (at: number) => Math.min(1, Math.max(0, (at - from) / length));
  return { from: share(start), to: share(toMillis(finishedAt) ?? now) };
}
