import { Columns3, LayoutGrid, ListFilter, ListTree, Rows3 } from "lucide-react";
import { useState, type ReactNode, type Ref } from "react";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import { Button, Chip, Dialog, IconButton, Menu, MenuItem, SearchField, Select, type Choice } from "@/ui";
import { layouts, type Layout, type SortName } from "@/data/url";
import { columns } from "./columns";
import { chipsOf } from "./chips";
import { Facets } from "./Facets";
import type { Apps } from "./useApps";
import { ViewsMenu } from "./ViewsMenu";

const orders: readonly Choice<string>[] = [
  { key: "health", text: "Broken first" },
  { key: "sync", text: "Out of sync first" },
  { key: "changed", text: "Changed last" },
  { key: "deployed", text: "Deployed last" },
  { key: "created", text: "Created last" },
  { key: "name", text: "Name" },
  { key: "runtime", text: "Runtime" },
  { key: "cluster", text: "Cluster" },
  { key: "namespace", text: "Namespace" },
  { key: "project", text: "Project" },
];

const icons: Record<Layout, typeof Rows3> = { table: Rows3, cards: LayoutGrid, tree: ListTree };
const layoutWords: Record<Layout, string> = { table: "Table", cards: "Cards", tree: "Tree of groups" };
const groups: readonly Choice<string>[] = [
  { key: "", text: "Runtime, project" },
  { key: "project", text: "Project" },
  { key: "namespace", text: "Namespace" },
  { key: "cluster", text: "Cluster" },
];

export interface ToolbarProps {
  apps: Apps;
  changes: number;
  shown: readonly string[];
  onShown: (columns: readonly string[]) => void;
  searchRef: Ref<HTMLInputElement>;
  isNarrow: boolean;
}

/** Views, filter, order and layout of the page. */
export function Toolbar({ apps, changes, shown, onShown, searchRef, isNarrow }: ToolbarProps) {
  const { query, change } = apps;
  const order = (
    <Select label="Order" hideLabel={!isNarrow} choices={orders} value={query.sort} onChange={(sort) => change({ sort: sort as SortName, descending: false })} className="w-40 max-wide:mb-3 max-wide:w-full" />
  );
  return (
    <div className="flex flex-col gap-2 pb-2">
      <div className="flex flex-wrap items-center gap-2">
        <ViewsMenu apps={apps} />
        {isNarrow && <><span className="grow" /><Layouts value={query.layout} onChange={(layout) => change({ layout })} /></>}
        <SearchField
          label="Filter applications"
          placeholder="Name, label:team=a, is:broken, runtime:prod-*"
          value={apps.text}
          onChange={apps.setText}
          inputRef={searchRef}
          className="min-w-44 grow basis-60"
        />
        <FilterSheet apps={apps} changes={changes} order={isNarrow && query.layout !== "tree" ? order : undefined} />
        {query.layout === "tree" && (
          <Select label="Group by" hideLabel choices={withLabel(query.group)} value={query.group} onChange={(group) => change({ group })} className="w-40" />
        )}
        {query.layout !== "tree" && !isNarrow && order}
        {!isNarrow && <Layouts value={query.layout} onChange={(layout) => change({ layout })} />}
        {!isNarrow && query.layout === "table" && <ColumnMenu shown={shown} onShown={onShown} />}
      </div>
      <Chips apps={apps} />
    </div>
  );
}

function withLabel(group: string): readonly Choice<string>[] {
  return groups.some(({ key }) => key === group) ? groups : [...groups, { key: group, text: group.replace(/^label:/, "Label ") }];
}

function Layouts({ value, onChange }: { value: Layout; onChange: (layout: Layout) => void }) {
  return (
    <ToggleButtonGroup
      aria-label="Layout"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => onChange([...keys][0] as Layout)}
      className="flex rounded-control border border-edge"
    >
      {layouts.map((layout) => {
        const Icon = icons[layout];
        return (
          <ToggleButton key={layout} id={layout} aria-label={layoutWords[layout]} className="flex h-[calc(var(--control)-2px)] w-(--control) items-center justify-center text-dim data-hovered:text-text data-selected:bg-selected data-selected:text-text">
            <Icon size={16} aria-hidden />
          </ToggleButton>
        );
      })}
    </ToggleButtonGroup>
  );
}

function ColumnMenu({ shown, onShown }: { shown: readonly string[]; onShown: (columns: readonly string[]) => void }) {
  const toggle = (id: string) => onShown(shown.includes(id) ? shown.filter((each) => each !== id) : [...shown, id]);
  return (
    <Menu label="Columns" trigger={<IconButton label="Columns"><Columns3 size={16} aria-hidden /></IconButton>}>
      {columns.map(({ id, title }) => <MenuItem key={id} id={id} isChecked={shown.includes(id)} onAction={() => toggle(id)}>{title}</MenuItem>)}
    </Menu>
  );
}

/** The facets of small screens, with the order where the bar has no room for it. */
function FilterSheet({ apps, changes, order }: { apps: Apps; changes: number; order: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const count = chipsOf(apps).length;
  return (
    <>
      <Button className="desk:hidden" icon={<ListFilter size={16} aria-hidden />} onPress={() => setOpen(true)}>{count > 0 ? `Filters ${count}` : "Filters"}</Button>
      <Dialog title="Filters" isOpen={isOpen} onClose={() => setOpen(false)} actions={<Button tone="accent" onPress={() => setOpen(false)}>Show</Button>}>
        {order}
        <Facets apps={apps} filter={apps.spec.filter} changes={changes} isReady />
      </Dialog>
    </>
  );
}

function Chips({ apps }: { apps: Apps }) {
  const chips = chipsOf(apps);
  if (chips.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {chips.map(({ id, text, remove }) => <Chip key={id} onRemove={remove} removeLabel={`Remove ${text}`}>{text}</Chip>)}
      {chips.length > 1 && <Button tone="quiet" className="h-5! px-1! text-label!" onPress={apps.clear}>Clear all</Button>}
    </div>
  );
}
