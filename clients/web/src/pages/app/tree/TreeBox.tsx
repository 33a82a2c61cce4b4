import { memo } from "react";
import { Elapsed, Name } from "@/format";
import { StateShape } from "@/state";
import { classes } from "@/ui";
import { BOX_HEIGHT, BOX_WIDTH, type Placed } from "../model/layout";
import { isBroken, resourceState, resourceSync, shortFacts } from "../model/resource";
import type { TreeNode } from "../model/tree";

export interface TreeBoxProps {
  placed: Placed;
  isActive: boolean;
  isSelected: boolean;
  /** The name of the application, for the root. */
  root: string;
  onPress: (node: TreeNode) => void;
}

/** One box of the tree: a resource, the application, or a set of equal ones. */
export const TreeBox = memo(function TreeBox({ placed, isActive, isSelected, root, onPress }: TreeBoxProps) {
  const { node, x, y, depth } = placed;
  const broken = node.resource !== undefined && isBroken(node.resource);
  return (
    <div
      role="treeitem"
      id={boxId(node)}
      aria-level={depth + 1}
      aria-selected={isSelected}
      {...(node.children.length > 0 ? { "aria-expanded": true } : {})}
      onClick={() => onPress(node)}
      style={{ left: x, top: y, width: BOX_WIDTH, height: BOX_HEIGHT }}
      className={classes(
        "absolute flex cursor-pointer flex-col justify-center rounded-card border px-2.5 leading-4 select-none",
        broken ? "border-bad bg-bg" : "border-edge bg-bg hover:border-field",
        isSelected && "bg-selected!",
        isActive && "outline-2 outline-offset-2 outline-accent",
      )}
    >
      {node.set ? <SetText node={node} /> : node.resource ? <ResourceText node={node} /> : <span className="truncate font-semibold">{root}</span>}
    </div>
  );
});

/** The element id of a box, for aria-activedescendant. */
export function boxId(node: TreeNode): string {
  return `box-${node.id.replace(/[^\w-]/g, "_")}`;
}

function ResourceText({ node }: { node: TreeNode }) {
  const resource = node.resource;
  if (!resource) return null;
  const state = resourceState(resource);
  const sync = resourceSync(resource);
  const facts = shortFacts(resource);
  return (
    <>
      <span className="flex min-w-0 items-center gap-1.5">
        {state && <StateShape state={state} />}
        <span className="min-w-0 grow truncate font-medium"><Name>{resource.name}</Name></span>
        {sync === "outOfSync" && <span title={resource.requiresPruning ? "Not in Git: a sync with prune deletes it" : "OutOfSync"} className="flex"><StateShape state="outOfSync" /></span>}
      </span>
      <span className="numbers flex min-w-0 gap-1.5 text-label text-dim">
        <span className="truncate">{resource.kind}{resource.hook && " hook"}</span>
        {facts && <span className="shrink-0">{facts}</span>}
        {resource.requiresPruning && <span className="shrink-0 text-warn">not in Git</span>}
        <span className="grow" />
        {resource.createdAt && <Elapsed since={resource.createdAt} className="shrink-0" />}
      </span>
    </>
  );
}

function SetText({ node }: { node: TreeNode }) {
  const members = node.set ?? [];
  const kind = members[0]?.resource?.kind ?? "resource";
  return (
    <>
      <span className="flex items-center gap-1.5 font-medium">
        <StateShape state="healthy" /> {members.length} × {kind}
      </span>
      <span className="text-label text-dim">equal and healthy; open</span>
    </>
  );
}
