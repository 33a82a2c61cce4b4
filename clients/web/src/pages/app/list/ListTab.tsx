import { OperationPhase, type Resource } from "@contract/causeway/inventory/v1/application_pb";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { Name, plainLine, Time } from "@/format";
import { phaseState, StateMark } from "@/state";
import { useDrawer } from "@/shell";
import { Button, classes, EmptyState, Select } from "@/ui";
import { useApp } from "../context";
import { useParam } from "../data/search";
import { resourceKey, resourceState, resourceSync, shortFacts } from "../model/resource";
import { FilterBar } from "../tree/FilterBar";
import { matcherOf, useResourceFilter } from "../tree/filter";
import { groupings, groupRows, type Grouping, type ListRow } from "./rows";

/** The resources of the application as rows. */
export function ListTab() {
  const { resources } = useApp();
  const [filter, change] = useResourceFilter();
  const [by, setBy] = useParam("group");
  const grouping = (by !== undefined && Object.hasOwn(groupings, by) ? by : "state") as Grouping;
  const { text, kind, state, onlyBroken } = filter;
  const matching = useMemo(() => resources.filter(matcherOf({ text, kind, state, onlyBroken })), [resources, text, kind, state, onlyBroken]);
  const rows = useMemo(() => groupRows(matching, grouping), [matching, grouping]);
  return (
    <div className="flex min-h-0 grow flex-col">
      <FilterBar shown={matching.length}>
        <Select<Grouping> label="Group by" hideLabel className="w-36" value={grouping} onChange={setBy} choices={(Object.keys(groupings) as Grouping[]).map((each) => ({ key: each, text: groupings[each].text }))} />
      </FilterBar>
      {matching.length === 0 ? (
        <EmptyState title="No resource matches" action={<Button onPress={() => change({ text: "", kind: "", state: "", onlyBroken: false })}>Clear the filter</Button>} />
      ) : (
        <Rows rows={rows} />
      )}
    </div>
  );
}

function Rows({ rows }: { rows: readonly ListRow[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const height = rowHeight();
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => frame.current, estimateSize: (index) => (rows[index]?.resource ? height : GROUP_HEIGHT), overscan: 12 });
  return (
    <div ref={frame} role="table" aria-label="Resources" aria-rowcount={rows.length} className="min-h-0 grow overflow-auto rounded-card border border-line">
      <div role="rowgroup" className="sticky top-0 z-10 max-wide:hidden">
        <div role="row" className={classes(grid, "h-8 border-b border-line bg-panel text-label font-medium text-dim")}>
          {["Name", "Kind", "Health", "Sync", "Facts", "Wave", "Age"].map((title) => <span key={title} role="columnheader">{title}</span>)}
        </div>
      </div>
      <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <div key={row.id} role="row" aria-rowindex={index + 1} style={{ height: row.resource ? height : GROUP_HEIGHT, transform: `translateY(${start}px)` }} className="absolute inset-x-0 top-0">
              {row.resource ? <ResourceCells resource={row.resource} /> : <GroupCell title={row.title ?? ""} count={row.count ?? 0} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const GROUP_HEIGHT = 34;

const grid = "grid grid-cols-[minmax(180px,2.4fr)_minmax(90px,1fr)_minmax(110px,1fr)_minmax(90px,.8fr)_minmax(80px,.8fr)_44px_72px] items-center gap-3 px-3 max-wide:grid-cols-[1fr_auto] max-wide:content-center max-wide:gap-y-0";

function rowHeight(): number {
  const width = matchMedia("(max-width: 639px)").matches;
  return width ? 52 : Number.parseInt(getComputedStyle(document.documentElement).getPropertyValue("--row"), 10) || 32;
}

function GroupCell({ title, count }: { title: string; count: number }) {
  return (
    <div role="cell" className="flex h-full items-end gap-2 border-b border-line bg-panel px-3 pb-1 font-medium">
      {title} <span className="numbers text-label text-dim">{count}</span>
    </div>
  );
}

function ResourceCells({ resource }: { resource: Resource }) {
  const drawer = useDrawer();
  const key = resourceKey(resource);
  const state = resourceState(resource);
  const sync = resourceSync(resource);
  const message = plainLine(resource.health?.message ?? "");
  return (
    <div role="none" onClick={() => drawer.open(key)} className={classes(grid, "h-full cursor-pointer border-b border-line hover:bg-panel", drawer.target === key && "bg-selected!")}>
      <span role="cell" className="flex min-w-0 items-center gap-2">
        <button type="button" onClick={(event) => (event.stopPropagation(), drawer.open(key))} className="min-w-0 shrink-0 rounded-control text-left font-medium"><Name className="max-w-72">{resource.name}</Name></button>
        {message && state !== "healthy" && <span className="min-w-0 truncate text-label text-dim max-wide:hidden" title={message}>{message}</span>}
      </span>
      <span role="cell" className="truncate text-dim">{resource.kind}</span>
      <span role="cell">{state ? <StateMark state={state} /> : <span className="text-dim">–</span>}</span>
      <span role="cell" className="max-wide:hidden">{sync ? <StateMark state={sync}>{resource.requiresPruning ? "Not in Git" : undefined}</StateMark> : <HookPhase resource={resource} />}</span>
      <span role="cell" className="numbers truncate text-dim max-wide:hidden">{shortFacts(resource)}</span>
      <span role="cell" className="numbers text-dim max-wide:hidden">{resource.syncWave}</span>
      <span role="cell" className="numbers text-dim max-wide:hidden"><Time at={resource.createdAt} /></span>
    </div>
  );
}

function HookPhase({ resource }: { resource: Resource }) {
  if (!resource.hook) return <span className="text-dim">–</span>;
  if (resource.hookPhase === OperationPhase.UNSPECIFIED) return <span className="text-dim">hook</span>;
  const { word, state } = phaseState(resource.hookPhase);
  return <StateMark state={state}>{`Hook ${word}`}</StateMark>;
}
