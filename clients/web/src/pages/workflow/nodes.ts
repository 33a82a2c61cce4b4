import type { WorkflowNode } from "@contract/causeway/inventory/v1/resource_pb";
import { toMillis } from "@/format/Time";

/** A node in the order of the list, with its depth and its part of the workflow's time. */
export interface NodeRow {
  node: WorkflowNode;
  depth: number;
  /** Start and end as shares of the whole time, 0 to 1; undefined before the start. */
  span: { from: number; to: number } | undefined;
}

/** Orders nodes as a tree from the roots; a node with several parents stands below the first. */
export function toRows(nodes: readonly WorkflowNode[], now: number): NodeRow[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isChild = new Set(nodes.flatMap(({ children }) => children));
  const whole = timeOf(nodes, now);
  const rows: NodeRow[] = [];
  const visited = new Set<string>();
  const visit = (node: WorkflowNode, depth: number) => {
    if (visited.has(node.id)) return;
    visited.add(node.id);
    rows.push({ node, depth, span: spanOf(node, whole, now) });
    for (const id of node.children) {
      const child = byId.get(id);
      if (child) visit(child, followsInOrder(node) ? depth : depth + 1);
    }
  };
  const starts = (node: WorkflowNode) => toMillis(node.startedAt) ?? Infinity;
  const ordered = [...nodes].sort((left, right) => starts(left) - starts(right));
  for (const node of ordered) if (!isChild.has(node.id)) visit(node, 0);
  // A cycle has no root; its nodes are listed all the same.
  for (const node of ordered) visit(node, 0);
  return rows;
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
