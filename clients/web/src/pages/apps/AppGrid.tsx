import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useMemo, useRef, type KeyboardEvent, type MouseEvent } from "react";
import { ArrowDown, ArrowUp, Check, Star } from "lucide-react";
import type { ListWindow, Row } from "@/data";
import { noQuery, type SortName } from "@/data/url";
import { classes, Skeleton } from "@/ui";
import { BareLink } from "@/ui/Link";
import { fittingColumns, Health, LastOperation, NameCell, Sync, type GridColumn } from "./columns";
import type { Selection } from "./selection";
import { useRowHeight, useScrollMemory, useWidth } from "./scroll";

export interface AppGridProps {
  list: ListWindow;
  selection: Selection;
  active: number;
  onActive: (index: number) => void;
  onOpen: (row: Row) => void;
  shown: readonly string[];
  sort: SortName;
  descending: boolean;
  onSort: (sort: SortName) => void;
  isFavourite: (key: string) => boolean;
  onFavourite: (key: string) => void;
  isSilent: (runtime: string) => boolean;
  isNarrow: boolean;
  memoryKey: string;
}

/** The table of applications: only rows in view are there, and one tab stop leads to all of them. */
export function AppGrid(props: AppGridProps) {
  const { list, selection, active, onActive, shown, isNarrow } = props;
  const frame = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight(isNarrow);
  const width = useWidth(frame);
  const virtual = useVirtualizer({
    count: list.total,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, (items.at(-1)?.index ?? 59) + 1];
  useEffect(() => virtual.measure(), [rowHeight]);
  useEffect(() => list.show(first, last), [first, last, list.show]);
  useScrollMemory(props.memoryKey, frame, list.isLoaded && !list.isPending, rowHeight);
  useRest(frame, list, selection.selected.length > 0);
  const shownActive = useRef(active);
  useEffect(() => {
    // At first the remembered position counts, which need not show the active row.
    if (active !== shownActive.current && active < list.total) virtual.scrollToIndex(active, { align: "auto" });
    shownActive.current = active;
  }, [active]);
  const used = useMemo(() => fittingColumns(shown, width), [shown.join(), width]);
  const tracks = `2rem 1.75rem minmax(9rem, 1.8fr) ${used.map(({ track }) => track).join(" ")}`;
  const move = (event: KeyboardEvent) => {
    const next = nextIndex(event, active, list.total, Math.floor((frame.current?.clientHeight ?? 400) / rowHeight) - 1);
    if (next === undefined) return keyAction(event, props);
    event.preventDefault();
    onActive(next);
    if (event.shiftKey) void selection.range(next);
  };
  return (
    <div
      role="grid"
      aria-label="Applications"
      aria-rowcount={list.total + 1}
      aria-multiselectable
      aria-busy={list.isPending}
      tabIndex={0}
      aria-activedescendant={list.row(active) ? rowId(active) : undefined}
      onKeyDown={move}
      data-apps-grid
      className={classes("group/grid flex min-h-0 grow flex-col rounded-control max-wide:-mx-4", list.row(active) ? "outline-none!" : "-outline-offset-2!")}
    >
      {!isNarrow && <GridHead {...props} used={used} tracks={tracks} />}
      <div ref={frame} role="rowgroup" className="min-h-0 grow overflow-y-auto overscroll-contain [scrollbar-gutter:stable]">
        <div role="presentation" className={classes("relative", list.isPending && "opacity-60")} style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = list.row(index);
            return (
              <GridRow
                key={index}
                index={index}
                start={start}
                height={rowHeight}
                row={row}
                tracks={tracks}
                used={used}
                isActive={index === active}
                isSelected={row !== undefined && selection.has(row.key)}
                isFavourite={row !== undefined && props.isFavourite(row.key)}
                isSilent={row !== undefined && props.isSilent(row.runtime)}
                isNarrow={isNarrow}
                onPick={selection.toggle}
                onRange={selection.range}
                onActive={onActive}
                onFavourite={props.onFavourite}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

function GridHead({ used, tracks, sort, descending, onSort, list, selection }: AppGridProps & { used: readonly GridColumn[]; tracks: string }) {
  const count = selection.selected.length;
  const isAll = count > 0 && count >= list.total;
  const toggleAll = () => (count > 0 ? selection.clear() : void selection.all());
  return (
    <div role="rowgroup" className="shrink-0 overflow-y-hidden border-b border-line [scrollbar-gutter:stable]">
      <div role="row" aria-rowindex={1} className="grid h-8 items-center text-label font-medium text-dim" style={{ gridTemplateColumns: tracks }}>
        <span role="columnheader" className="flex justify-center">
          <button type="button" tabIndex={-1} aria-label={count > 0 ? "Clear the selection" : "Select all"} aria-pressed={isAll} onClick={toggleAll} className="flex size-6 items-center justify-center">
            <Box isOn={isAll} isPart={count > 0 && !isAll} />
          </button>
        </span>
        <span role="columnheader"><span className="sr-only">Favourite</span></span>
        <HeadCell title="Name" sort="name" active={sort} descending={descending} onSort={onSort} />
        {used.map((column) => <HeadCell key={column.id} title={column.title} sort={column.sort} active={sort} descending={descending} onSort={onSort} />)}
      </div>
    </div>
  );
}

interface HeadCellProps {
  title: string;
  sort: SortName | undefined;
  active: SortName;
  descending: boolean;
  onSort: (sort: SortName) => void;
}

function HeadCell({ title, sort, active, descending, onSort }: HeadCellProps) {
  const isActive = sort === active;
  const Arrow = descending ? ArrowDown : ArrowUp;
  return (
    <span role="columnheader" className="truncate px-2" {...(isActive ? { "aria-sort": descending ? "descending" as const : "ascending" as const } : {})}>
      {sort ? (
        <button type="button" tabIndex={-1} onClick={() => onSort(sort)} className={classes("inline-flex items-center gap-1 rounded-control hover:text-text", isActive && "text-text")}>
          {title}
          {isActive && <Arrow size={12} aria-hidden />}
        </button>
      ) : (
        title
      )}
    </span>
  );
}

interface GridRowProps {
  index: number;
  start: number;
  height: number;
  row: Row | undefined;
  tracks: string;
  used: readonly GridColumn[];
  isActive: boolean;
  isSelected: boolean;
  isFavourite: boolean;
  isSilent: boolean;
  isNarrow: boolean;
  onPick: (row: Row, index: number) => void;
  onRange: (index: number) => Promise<void>;
  onActive: (index: number) => void;
  onFavourite: (key: string) => void;
}

const GridRow = memo(function GridRow(props: GridRowProps) {
  const { index, start, height, row, tracks, isActive, isSelected, isNarrow, onActive } = props;
  const look = classes(
    "absolute inset-x-0 border-b border-line/60 hover:bg-panel",
    isSelected && "bg-selected! ",
    isActive && "group-focus-visible/grid:outline-2 group-focus-visible/grid:-outline-offset-2 group-focus-visible/grid:outline-accent",
    isActive && !isSelected && "bg-panel",
  );
  return (
    <div
      role="row"
      id={rowId(index)}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      onClick={() => onActive(index)}
      className={classes(look, !isNarrow && "grid items-center")}
      style={{ transform: `translateY(${start}px)`, height, ...(isNarrow ? {} : { gridTemplateColumns: tracks }) }}
    >
      {row ? isNarrow ? <NarrowCells {...props} row={row} /> : <WideCells {...props} row={row} /> : <SkeletonCells count={props.used.length + 3} />}
    </div>
  );
});

type FilledRow = GridRowProps & { row: Row };

function WideCells(props: FilledRow) {
  const { row, used, isSilent, isFavourite, onFavourite } = props;
  return (
    <>
      <PickCell {...props} />
      <span role="gridcell" className="flex justify-center">
        <FavouriteButton isOn={isFavourite} name={row.name} onToggle={() => onFavourite(row.key)} />
      </span>
      <span role="rowheader" className="flex min-w-0 items-center gap-2 px-2"><AppLink row={row}><NameCell row={row} /></AppLink></span>
      {used.map((column) => (
        <span key={column.id} role="gridcell" className="flex min-w-0 items-center overflow-hidden px-2 whitespace-nowrap">{column.cell(row, isSilent)}</span>
      ))}
    </>
  );
}

function NarrowCells(props: FilledRow) {
  const { row, isSilent } = props;
  return (
    <>
      <PickCell {...props} />
      <span role="rowheader" className="absolute inset-y-0 right-0 left-11 flex flex-col justify-center gap-0.5 pr-4">
        <AppLink row={row}>
          <span className="flex items-center justify-between gap-2">
            <span className="flex min-w-0 items-center gap-2"><NameCell row={row} /></span>
            <span className="shrink-0"><Health row={row} isSilent={isSilent} /></span>
          </span>
          <span className="flex items-center justify-between gap-2 text-label text-dim">
            <span className="truncate">{row.runtime} / {row.namespace}</span>
            <span className="flex shrink-0 items-center gap-2"><Sync row={row} /></span>
          </span>
          <span className="sr-only"><LastOperation row={row} /></span>
        </AppLink>
      </span>
    </>
  );
}

function PickCell({ row, index, isSelected, onPick, onRange, isNarrow }: FilledRow) {
  const pick = (event: MouseEvent) => {
    event.stopPropagation();
    if (event.shiftKey) void onRange(index);
    else onPick(row, index);
  };
  return (
    <span role="gridcell" className={isNarrow ? "absolute inset-y-0 left-0 flex w-11 items-center justify-center" : "flex justify-center"}>
      <button type="button" role="checkbox" tabIndex={-1} aria-checked={isSelected} aria-label={`Select ${row.name}`} onClick={pick} className={classes("flex items-center justify-center", isNarrow ? "size-11" : "size-6")}>
        <Box isOn={isSelected} />
      </button>
    </span>
  );
}

function Box({ isOn, isPart }: { isOn: boolean; isPart?: boolean }) {
  return (
    <span className={classes("flex size-4 items-center justify-center rounded-[3px] border", isOn || isPart ? "border-accent bg-accent text-on-accent" : "border-field bg-bg")}>
      {isOn && <Check size={12} strokeWidth={3} aria-hidden />}
      {isPart && <span className="h-0.5 w-2 bg-on-accent" />}
    </span>
  );
}

function FavouriteButton({ isOn, name, onToggle }: { isOn: boolean; name: string; onToggle: () => void }) {
  return (
    <button type="button" tabIndex={-1} aria-pressed={isOn} aria-label={`Favourite ${name}`} onClick={(event) => (event.stopPropagation(), onToggle())} className={classes("flex size-6 items-center justify-center", isOn ? "text-warn" : "text-edge hover:text-dim")}>
      <Star size={14} aria-hidden fill={isOn ? "currentColor" : "none"} />
    </button>
  );
}

/** A link without a tab stop: the grid is the stop, and Enter opens. */
export function AppLink({ row, children }: { row: Row; children: React.ReactNode }) {
  const { runtime, cluster, namespace, name } = row;
  return (
    <BareLink to="/apps/$runtime/$cluster/$namespace/$name" params={{ runtime, cluster, namespace, name }} tabIndex={-1} className="block max-w-full min-w-0 hover:text-accent">
      <span className="flex max-w-full min-w-0 items-center gap-2 max-wide:block">{children}</span>
    </BareLink>
  );
}

function SkeletonCells({ count }: { count: number }) {
  return Array.from({ length: count }, (_, index) => (
    <span key={index} role="gridcell" className="px-2">{index > 1 && <Skeleton className={index === 2 ? "w-32" : "w-16"} />}</span>
  ));
}

function rowId(index: number): string {
  return `app-row-${index}`;
}

/** Returns where a key of the grid leads; undefined for other keys. */
export function nextIndex(event: Pick<KeyboardEvent, "key">, active: number, total: number, page: number): number | undefined {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -total, End: total };
  const step = steps[event.key];
  return step === undefined || total === 0 ? undefined : Math.min(total - 1, Math.max(0, active + step));
}

function keyAction(event: KeyboardEvent, { list, active, onOpen, selection }: AppGridProps) {
  const row = list.row(active);
  if (!row) return;
  if (event.key === "Enter") onOpen(row);
  else if (event.key === " ") selection.toggle(row, active);
  else if (event.key === "a" && (event.ctrlKey || event.metaKey)) void selection.all();
  else return;
  event.preventDefault();
}

/** Tells the store when rows may move: the pointer is still, nothing is selected, and the list is at its top. */
function useRest(frame: React.RefObject<HTMLDivElement | null>, list: ListWindow, isSelecting: boolean) {
  const { rest } = list;
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let told: boolean | undefined;
    const tell = (atRest: boolean) => {
      if (told !== atRest) rest(atRest);
      told = atRest;
    };
    const settle = () => tell(!isSelecting && element.scrollTop < 4);
    const stir = () => {
      tell(false);
      clearTimeout(timer);
      timer = setTimeout(settle, 1_500);
    };
    settle();
    element.addEventListener("pointermove", stir);
    element.addEventListener("scroll", stir);
    return () => {
      clearTimeout(timer);
      element.removeEventListener("pointermove", stir);
      element.removeEventListener("scroll", stir);
    };
  }, [isSelecting, rest]);
}

/** The arrow of the default order points up: the worst is first. */
export function nextSort(sort: SortName, active: SortName, descending: boolean): { sort: SortName; descending: boolean } {
  if (sort !== active) return { sort, descending: false };
  return descending ? { sort: noQuery.sort, descending: false } : { sort, descending: true };
}
