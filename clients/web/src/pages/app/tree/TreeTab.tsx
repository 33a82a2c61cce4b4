import { useMemo, useState } from "react";
import { useDrawer } from "@/shell";
import { Button, EmptyState } from "@/ui";
import { useApp } from "../context";
import { TimeBar } from "../history/TimeBar";
import { layoutTree } from "../model/layout";
import { parseResourceKey, resourceKey } from "../model/resource";
import { buildTree, collapseSets, filterTree, ROOT, type TreeNode } from "../model/tree";
import { FilterBar } from "./FilterBar";
import { isFiltering, matcherOf, useResourceFilter } from "./filter";
import { TreeCanvas } from "./TreeCanvas";

/** The resources of the application as a tree. */
export function TreeTab() {
  const { key, resources } = useApp();
  const [filter, change] = useResourceFilter();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const drawer = useDrawer();
  const { text, kind, state, onlyBroken } = filter;
  const matches = useMemo(() => matcherOf({ text, kind, state, onlyBroken }), [text, kind, state, onlyBroken]);
  const whole = useMemo(() => buildTree(resources), [resources]);
  const layout = useMemo(() => {
    const filtered = isFiltering({ text, kind, state, onlyBroken }) ? (filterTree(whole, matches) ?? whole) : whole;
    return layoutTree(collapseSets(filtered, open));
  }, [whole, matches, open, text, kind, state, onlyBroken]);
  const shown = useMemo(() => resources.filter(matches).length, [resources, matches]);
  const press = (node: TreeNode) => {
    if (node.set) setOpen(new Set([...open, node.id]));
    else if (node.resource) drawer.open(resourceKey(node.resource));
  };
  const target = drawer.target === undefined ? undefined : parseResourceKey(drawer.target);
  const selected = target && layout.placed.find(({ node }) => node.resource && resourceKey(node.resource) === resourceKey(target))?.node.id;
  return (
    <div className="flex min-h-0 grow flex-col">
      <TimeBar />
      <FilterBar shown={shown}>
        {open.size > 0 && <Button tone="quiet" onPress={() => setOpen(new Set())}>Collapse sets</Button>}
      </FilterBar>
      {resources.length === 0 ? (
        <EmptyState title="No resources are reported">The application has none yet, or its runtime could not read them.</EmptyState>
      ) : shown === 0 ? (
        <EmptyState title="No resource matches" action={<Button onPress={() => change({ text: "", kind: "", state: "", onlyBroken: false })}>Clear the filter</Button>} />
      ) : (
        <TreeCanvas key={ROOT + key.name} layout={layout} name={key.name} selected={selected} onPress={press} />
      )}
    </div>
  );
}
