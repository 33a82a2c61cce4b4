import type { Resource } from "@contract/causeway/inventory/v1/application_pb";
import { healthRank, isBroken, isQuiet, resourceKey } from "./resource";

/** A resource, or the application itself, in the tree. */
export interface TreeNode {
  id: string;
  /** Absent for the application and for sets. */
  resource?: Resource;
  /** The members that one box stands for. */
  set?: readonly TreeNode[];
  parent?: TreeNode;
  children: TreeNode[];
  /** Further owners, drawn as thin edges. */
  otherOwners: string[];
}

export const ROOT = "application";

/** Sets of more equal and healthy siblings than this are one box. */
const LARGEST_OPEN_SET = 8;

/** Builds the tree of an application; the first known owner is the parent, and a cycle of owners hangs below the application. */
export function buildTree(resources: readonly Resource[]): TreeNode {
  const root: TreeNode = { id: ROOT, children: [], otherOwners: [] };
  const nodes = resources.map((resource) => ({ id: resource.uid || resourceKey(resource), resource, children: [], otherOwners: [] }) as TreeNode);
  const byUid = new Map(nodes.filter(({ resource }) => resource?.uid).map((node) => [node.id, node]));
  for (const node of nodes) {
    const owners = (node.resource?.parentUids ?? []).filter((uid) => uid !== node.id && byUid.has(uid));
    node.parent = (owners[0] !== undefined && byUid.get(owners[0])) || root;
    node.otherOwners = owners.slice(1);
  }
  for (const node of nodes) cutCycle(node, root);
  for (const node of nodes) node.parent?.children.push(node);
  sortChildren(root);
  return root;
}

function cutCycle(node: TreeNode, root: TreeNode) {
  const seen = new Set<TreeNode>();
  for (let at: TreeNode | undefined = node; at && at !== root; at = at.parent) {
    if (seen.has(at)) {
      at.parent = root;
      return;
    }
    seen.add(at);
  }
}

/** Puts what is broken first, then by kind and name. */
function sortChildren(root: TreeNode) {
  const worst = new Map<TreeNode, number>();
  const rank = (node: TreeNode): number => {
    const own = node.resource ? (isBroken(node.resource) ? Math.min(healthRank(node.resource), 2) : healthRank(node.resource)) : 9;
    const value = Math.min(own, ...node.children.map(rank));
    worst.set(node, value);
    return value;
  };
  rank(root);
  const text = ({ resource }: TreeNode) => `${resource?.kind}/${resource?.name}`;
  for (const node of walk(root)) {
    node.children.sort((a, b) => (worst.get(a) ?? 9) - (worst.get(b) ?? 9) || text(a).localeCompare(text(b), undefined, { numeric: true }));
  }
}

/** Yields a node and all below it, parents first. */
export function* walk(node: TreeNode): Generator<TreeNode> {
  yield node;
  for (const child of node.children) yield* walk(child);
}

/** Returns the tree with large sets of equal, healthy siblings as one box each; those in `open` stay as they are. */
export function collapseSets(node: TreeNode, open: ReadonlySet<string>, parent?: TreeNode): TreeNode {
  const copy: TreeNode = { ...node, children: [], ...(parent ? { parent } : {}) };
  copy.children = groupChildren(node, open).map((child) => (child.set ? { ...child, parent: copy } : collapseSets(child, open, copy)));
  return copy;
}

function groupChildren(node: TreeNode, open: ReadonlySet<string>): TreeNode[] {
  const sets = new Map<string, TreeNode[]>();
  for (const child of node.children) {
    const kind = collapsibleKind(child);
    if (kind) sets.set(kind, [...(sets.get(kind) ?? []), child]);
  }
  const large = [...sets].filter(([kind, members]) => members.length > LARGEST_OPEN_SET && !open.has(setId(node, kind)));
  if (large.length === 0) return node.children;
  const hidden = new Set(large.flatMap(([, members]) => members));
  const boxes = large.map(([kind, members]) => ({ id: setId(node, kind), set: members, children: [], otherOwners: [] }) as TreeNode);
  return [...node.children.filter((child) => !hidden.has(child)), ...boxes];
}

const setId = (node: TreeNode, kind: string) => `${node.id}#${kind}`;

/** Returns what equal siblings have in common; undefined for what never collapses: anything broken, or with something broken below. */
function collapsibleKind(node: TreeNode): string | undefined {
  for (const each of walk(node)) if (each.resource && !isQuiet(each.resource)) return undefined;
  return node.resource && `${node.resource.kind}.${node.resource.group}`;
}

/** Keeps the nodes that match and their ancestors. */
export function filterTree(node: TreeNode, matches: (resource: Resource) => boolean): TreeNode | undefined {
  const children = node.children.map((child) => filterTree(child, matches)).filter((child) => child !== undefined);
  const isShown = children.length > 0 || (node.resource !== undefined && matches(node.resource)) || node.id === ROOT;
  return isShown ? { ...node, children } : undefined;
}
