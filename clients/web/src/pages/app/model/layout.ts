import type { TreeNode } from "./tree";

export const BOX_WIDTH = 216;
export const BOX_HEIGHT = 44;
const COLUMN_GAP = 56;
const ROW_GAP = 10;

/** A node with its place; x and y are its upper left corner. */
export interface Placed {
  node: TreeNode;
  x: number;
  y: number;
  depth: number;
}

export interface Layout {
  placed: Placed[];
  byId: Map<string, Placed>;
  width: number;
  height: number;
}

/** The outline of a subtree: per depth below its root, the topmost and lowest y, relative to the root's y. */
interface Subtree {
  node: TreeNode;
  /** Relative to the parent's y. */
  offset: number;
  top: number[];
  bottom: number[];
  children: Subtree[];
}

/** Places a tree from left to right, as tidy as Reingold and Tilford's: subtrees as near as their outlines allow, parents centred. */
export function layoutTree(root: TreeNode): Layout {
  const outline = outlineOf(root);
  const placed: Placed[] = [];
  const highest = Math.min(...outline.top);
  place(outline, -highest, 0, placed);
  const byId = new Map(placed.map((each) => [each.node.id, each]));
  const depth = placed.reduce((most, each) => Math.max(most, each.depth), 0);
  const lowest = placed.reduce((most, each) => Math.max(most, each.y), 0);
  return { placed, byId, width: depth * (BOX_WIDTH + COLUMN_GAP) + BOX_WIDTH, height: lowest + BOX_HEIGHT };
}

function outlineOf(node: TreeNode): Subtree {
  const children = node.children.map(outlineOf);
  const bottom: number[] = [];
  const top: number[] = [];
  for (const child of children) {
    child.offset = offsetBelow(bottom, child);
    child.top.forEach((y, depth) => (top[depth] ??= y + child.offset));
    child.bottom.forEach((y, depth) => (bottom[depth] = y + child.offset));
  }
  const centre = ((children[0]?.offset ?? 0) + (children.at(-1)?.offset ?? 0)) / 2;
  for (const child of children) child.offset -= centre;
  return { node, offset: 0, top: [0, ...top.map((y) => y - centre)], bottom: [BOX_HEIGHT, ...bottom.map((y) => y - centre)], children };
}

function offsetBelow(bottom: readonly number[], { top }: Subtree): number {
  let offset = bottom.length === 0 ? 0 : -Infinity;
  top.forEach((y, depth) => {
    const above = bottom[depth];
    if (above !== undefined) offset = Math.max(offset, above + ROW_GAP - y);
  });
  return offset;
}

function place({ node, children }: Subtree, y: number, depth: number, placed: Placed[]) {
  placed.push({ node, x: depth * (BOX_WIDTH + COLUMN_GAP), y, depth });
  for (const child of children) place(child, y + child.offset, depth + 1, placed);
}
