import type { ReactNode } from "react";
import { formatAge, formatExact, Name, Revision, Time, useNow } from "@/format";
import { healthState, phaseState, StateMark, StateShape, syncState } from "@/state";
import type { Row } from "@/data";
import type { SortName } from "@/data/url";
import { states } from "@/words";
import { Chip } from "@/ui";

export interface GridColumn {
  id: string;
  title: string;
  /** A track of the CSS grid. */
  track: string;
  /** Pixels without which it is left out. */
  least: number;
  sort?: SortName;
  cell: (row: Row, isSilent: boolean) => ReactNode;
}

/** The columns of the table, in their order. */
export const columns: readonly GridColumn[] = [
  { id: "health", least: 137, title: "Health", track: "minmax(10.5rem, .7fr)", sort: "health", cell: (row, isSilent) => <Health row={row} isSilent={isSilent} /> },
  { id: "since", least: 59, title: "Since", track: "4.5rem", cell: (row, isSilent) => !isSilent && <Since row={row} /> },
  { id: "sync", least: 114, title: "Sync", track: "minmax(8.75rem, .5fr)", sort: "sync", cell: (row) => <Sync row={row} /> },
  { id: "runtime", least: 90, title: "Runtime", track: "minmax(6rem, 1fr)", sort: "runtime", cell: (row) => <Name>{row.runtime}</Name> },
  { id: "cluster", least: 90, title: "Cluster", track: "minmax(6rem, 1fr)", sort: "cluster", cell: (row) => <Name>{row.cluster}</Name> },
  { id: "namespace", least: 98, title: "Namespace", track: "minmax(7.5rem, 1fr)", sort: "namespace", cell: (row) => <Name>{row.namespace}</Name> },
  { id: "project", least: 80, title: "Project", track: "minmax(5rem, .8fr)", sort: "project", cell: (row) => <Name>{row.project}</Name> },
  { id: "revision", least: 78, title: "Revision", track: "6rem", cell: (row) => row.revision && <Revision>{row.revision}</Revision> },
  { id: "deployed", least: 150, title: "Last deploy", track: "minmax(11.5rem, 1fr)", sort: "deployed", cell: (row) => <LastOperation row={row} /> },
];

/** Which columns go first where there is no room. */
const goFirst: readonly string[] = ["project", "cluster", "revision", "namespace", "since", "deployed", "runtime", "sync"];
const NAME_AND_MARKS = 200;

/** Returns the wanted columns that have room in a width, in their order. */
export function fittingColumns(shown: readonly string[], width: number): readonly GridColumn[] {
  let fitting = columns.filter(({ id }) => shown.includes(id));
  for (const id of goFirst) {
    if (NAME_AND_MARKS + fitting.reduce((sum, { least }) => sum + least, 0) <= width) break;
    fitting = fitting.filter((column) => column.id !== id);
  }
  return fitting;
}

export const shownFirst: readonly string[] = ["health", "since", "sync", "runtime", "namespace", "revision", "deployed"];

/** The health of an application; where its runtime is silent, what was last heard and never as if it were now. */
export function Health({ row, isSilent }: { row: Row; isSilent: boolean }) {
  const state = healthState(row.health);
  if (row.isGone) return <span className="text-dim">gone</span>;
  if (isSilent) return <StateMark state="silent">was {states[state].word}</StateMark>;
  return <span title={row.healthMessage || undefined} className="min-w-0"><StateMark state={state} /></span>;
}

/** Since when it has this health, in one unit. */
export function Since({ row: { healthSince } }: { row: Row }) {
  const now = useNow();
  if (healthSince === undefined) return null;
  return <time title={formatExact(healthSince)} className="numbers text-label text-dim">{formatAge(now - healthSince)}</time>;
}

export function Sync({ row }: { row: Row }) {
  return <StateMark state={syncState(row.sync)} />;
}

/** When it was deployed last and by whom; a running operation has its shape before. */
export function LastOperation({ row: { operation } }: { row: Row }) {
  if (!operation) return <span className="text-dim">–</span>;
  const { word, state } = phaseState(operation.phase);
  // A dry run deployed nothing, so its end is no trouble of the application either.
  if (operation.isDryRun && operation.finishedAt !== undefined) return <span title={`Dry run: ${word}`} className="truncate text-dim">Dry run · <Time at={operation.finishedAt} className="numbers" /></span>;
  const isQuiet = state === "healthy";
  return (
    <span title={`${word}${operation.message ? `: ${operation.message}` : ""}`} className="flex min-w-0 items-center gap-1.5">
      {!isQuiet && <StateShape state={state} />}
      <span className="truncate text-dim">
        {operation.finishedAt === undefined ? (operation.isDryRun ? "Dry run" : word) : <Time at={operation.finishedAt} className="numbers" />}
        {" · "}
        {operation.initiatedBy || (operation.automated ? "auto" : "unknown")}
      </span>
    </span>
  );
}

/** The name, and that it is being deleted. */
export function NameCell({ row }: { row: Row }) {
  return (
    <>
      <Name className={row.isGone ? "text-dim line-through" : "font-medium"}>{row.name}</Name>
      {row.isDeleting && <Chip tone="warn">deleting</Chip>}
    </>
  );
}
