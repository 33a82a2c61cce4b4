import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { Connection } from "@contract/causeway/platform/v1/runtime_service_pb";
import { useFavourites, useRuntimes, useWindow, type Row } from "@/data";
import { specKey } from "@/data/store/protocol";
import { FailureBanner, FailureState } from "@/failure";
import { formatCount, plural } from "@/format";
import type { Search } from "@/search";
import { notify, Page, useDrawer, useShortcuts } from "@/shell";
import { Banner, Button, KeyHint, SkeletonRows } from "@/ui";
import { AppCards } from "./AppCards";
import { AppDrawer } from "./AppDrawer";
import { AppGrid, nextSort } from "./AppGrid";
import { BatchDialog } from "./BatchDialog";
import type { BatchKind } from "./batchKinds";
import { shownFirst } from "./columns";
import { appCommand } from "./commandLine";
import { EmptyApps } from "./EmptyApps";
import { Facets } from "./Facets";
import { GroupTree } from "./GroupTree";
import { remember, remembered, useHistoryKey, useMedia } from "./scroll";
import { useSelection } from "./selection";
import { SelectionBar } from "./SelectionBar";
import { Toolbar } from "./Toolbar";
import { useApps } from "./useApps";

/** All applications: table, cards or tree of groups, over the same query. */
export default function AppsPage() {
  const apps = useApps();
  const historyKey = useHistoryKey();
  const start = useMemo(() => remembered(historyKey), []);
  const list = useWindow(apps.spec, start.index);
  const selection = useSelection(apps.spec);
  const [active, setActive] = useActive(historyKey, start.active);
  const [batch, setBatch] = useState<{ kind: BatchKind; rows: readonly Row[] }>();
  const [shown, setShown] = useColumns();
  const searchRef = useRef<HTMLInputElement>(null);
  const isNarrow = useMedia("(max-width: 639px)");
  const { isFavourite, toggle: toggleFavourite } = useFavourites();
  const { isSilent, silent } = useSilence();
  const drawer = useDrawer();
  const isMedium = useMedia("(max-width: 1599px)");
  const open = useOpen();
  const { query, spec } = apps;
  useEffect(selection.clear, [specKey(spec)]);
  const act = (kind: BatchKind) => {
    const row = list.row(active);
    const rows = selection.selected.length > 0 ? selection.selected : row ? [row] : [];
    if (rows.length > 0) setBatch({ kind, rows });
  };
  useAppShortcuts({ list, active, setActive, selection, act, toggleFavourite, open, openDrawer: drawer.open, isTable: query.layout === "table" });
  const common = { list, isFavourite, isSilent, onFavourite: toggleFavourite, memoryKey: historyKey };
  return (
    <Page title="Applications" hideTitle isFixed drawer={(target, close) => <AppDrawer target={target} onClose={close} isSilent={isSilent} />}>
      <div className="flex min-h-0 grow gap-4 pt-3 max-wide:pt-2">
        {!isNarrow && !(drawer.target && isMedium) && (
          <aside aria-label="Filters" className="w-52 shrink-0 overflow-y-auto pr-1 [scrollbar-width:thin] max-desk:hidden">
            <Facets apps={apps} filter={spec.filter} changes={list.changes} isReady={query.layout === "tree" || (list.isLoaded && !list.isPending) || Boolean(list.failure)} />
          </aside>
        )}
        <section aria-label="Applications" className="flex min-h-0 min-w-0 grow flex-col">
          <Toolbar apps={apps} changes={list.changes} shown={shown} onShown={setShown} searchRef={searchRef} isNarrow={isNarrow} />
          {silent.length > 0 && <SilentBanner names={silent} />}
          {list.failure && list.isLoaded && <FailureBanner error={list.failure} what="read the list again" onRetry={list.apply} />}
          {query.layout !== "tree" && <OrderPill moved={list.moved} arrived={list.arrived} onApply={list.apply} />}
          {query.layout === "tree" ? (
            <GroupTree query={query} filter={spec.filter} isSilent={isSilent} />
          ) : list.failure && !list.isLoaded ? (
            <FailureState error={list.failure} what="list applications" onRetry={list.apply} />
          ) : !list.isLoaded ? (
            <SkeletonRows count={16} />
          ) : list.total === 0 && !list.isPending ? (
            <EmptyApps apps={apps} />
          ) : query.layout === "cards" ? (
            <AppCards {...common} />
          ) : (
            <AppGrid
              {...common}
              selection={selection}
              active={active}
              onActive={setActive}
              onOpen={open}
              shown={shown}
              sort={query.sort}
              descending={query.descending}
              onSort={(sort) => apps.change(nextSort(sort, query.sort, query.descending))}
              isNarrow={isNarrow}
            />
          )}
          {selection.selected.length > 0 && query.layout === "table" && <SelectionBar selection={selection} onBatch={act} />}
          <p role="status" className="numbers shrink-0 pt-2 text-label text-dim">{list.isLoaded && list.total > 0 && plural(list.total, "application")}</p>
        </section>
      </div>
      {batch && <BatchDialog kind={batch.kind} rows={batch.rows} onClose={() => setBatch(undefined)} />}
    </Page>
  );
}

/** The active row, remembered for this entry of the history. */
function useActive(historyKey: string, first: number) {
  const [active, setActive] = useState(first);
  const change = (index: number) => {
    // At once, since a click on a link leaves the page.
    remember(historyKey, { active: index });
    setActive(index);
  };
  return [active, change] as const;
}

/** The shown columns, kept in the URL. */
function useColumns() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const shown = search["columns"]?.split(",") ?? shownFirst;
  const setShown = (columns: readonly string[]) =>
    void navigate({ to: ".", search: (current: Search) => ({ ...current, columns: columns.join(",") === shownFirst.join(",") ? undefined : columns.join(",") }), replace: true });
  return [shown, setShown] as const;
}

/** Which runtimes are silent, so that what they reported last is not shown as if it were now. */
function useSilence() {
  const { runtimes } = useRuntimes();
  const silent = useMemo(() => (runtimes ?? []).filter(({ connection }) => connection === Connection.OFFLINE).map(({ name }) => name), [runtimes]);
  return { silent, isSilent: (runtime: string) => silent.includes(runtime) };
}

function SilentBanner({ names }: { names: readonly string[] }) {
  const [first] = names;
  return (
    <div className="pb-2">
      <Banner tone="warn">
        {names.length === 1 ? `Runtime ${first} is silent: its applications are` : `${names.length} runtimes are silent: their applications are`} shown as they were last reported.
      </Banner>
    </div>
  );
}

function OrderPill({ moved, arrived, onApply }: { moved: number; arrived: number; onApply: () => void }) {
  if (moved === 0 && arrived === 0) return null;
  const parts = [moved > 0 && `${formatCount(moved)} changed order`, arrived > 0 && `${formatCount(arrived)} new`].filter(Boolean).join(", ");
  return (
    <div className="flex justify-center pb-1">
      <Button tone="quiet" className="h-6! rounded-chip! bg-accent-fill! text-label! text-accent!" onPress={onApply}>
        {parts} · show <KeyHint keys="u" />
      </Button>
    </div>
  );
}

function useOpen() {
  const navigate = useNavigate();
  return ({ runtime, cluster, namespace, name }: Row) =>
    void navigate({ to: "/apps/$runtime/$cluster/$namespace/$name", params: { runtime, cluster, namespace, name } });
}

interface ShortcutTargets {
  list: ReturnType<typeof useWindow>;
  active: number;
  setActive: (index: number) => void;
  selection: ReturnType<typeof useSelection>;
  act: (kind: BatchKind) => void;
  toggleFavourite: (key: string) => void;
  open: (row: Row) => void;
  openDrawer: (target: string) => void;
  isTable: boolean;
}

/** The keys of the list; they act wherever the focus is, but in fields. */
function useAppShortcuts({ list, active, setActive, selection, act, toggleFavourite, open, openDrawer, isTable }: ShortcutTargets) {
  const group = "Applications";
  const row = list.row(active);
  const move = (step: number, extend = false) => {
    const next = Math.min(list.total - 1, Math.max(0, active + step));
    setActive(next);
    document.querySelector<HTMLElement>("[data-apps-grid]")?.focus({ preventScroll: true });
    if (extend) void selection.range(next);
  };
  const copy = (text: string, what: string) => void navigator.clipboard?.writeText(text).then(() => notify({ text: `Copied ${what}.`, state: "healthy" }));
  const tableKeys = [
    { keys: "j", text: "Next row", group, run: () => move(1) },
    { keys: "k", text: "Previous row", group, run: () => move(-1) },
    { keys: "J", text: "Select down", group, run: () => move(1, true) },
    { keys: "K", text: "Select up", group, run: () => move(-1, true) },
    { keys: "x", text: "Select the row", group, run: () => row && selection.toggle(row, active) },
    { keys: "o", text: "Open the drawer", group, run: () => row && openDrawer(row.key) },
    { keys: "Enter", text: "Open the application", group, run: () => row && document.activeElement === document.body && open(row) },
    { keys: "s", text: "Sync", group, run: () => act("sync") },
    { keys: "r", text: "Refresh", group, run: () => act("refresh") },
    { keys: "R", text: "Hard refresh", group, run: () => act("hardRefresh") },
    { keys: "*", text: "Add to favourites or remove", group, run: () => row && toggleFavourite(row.key) },
    { keys: "C", text: "Copy the CLI command", group, run: () => row && copy(appCommand("sync", selection.selected.length > 0 ? selection.selected : [row]), "command") },
    { keys: "Escape", text: "Clear the selection", group, run: selection.clear },
  ];
  useShortcuts([
    ...(isTable ? tableKeys : []),
    { keys: "u", text: "Apply the changed order", group, run: list.apply },
    { keys: "v", text: "Saved views", group, run: () => document.querySelector<HTMLElement>("[data-views-menu]")?.click() },
    { keys: "c", text: "Copy the link", group, run: () => copy(location.href, "link") },
  ]);
}
