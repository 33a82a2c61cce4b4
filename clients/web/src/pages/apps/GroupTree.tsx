import { ChevronRight } from "lucide-react";
import { useEffect, useRef, useState, type RefObject } from "react";
import { ApplicationField, type ApplicationFacet } from "@contract/causeway/inventory/v1/application_service_pb";
import { useApplicationFacets, useApplicationPage } from "@/data";
import { toRow } from "@/data/store/row";
import { sorts, type ApplicationQuery, type Filter } from "@/data/url";
import { FailureState } from "@/failure";
import { formatCount, formatShortCount, Name, plural } from "@/format";
import { StateShape } from "@/state";
import { classes, Link, SkeletonRows } from "@/ui";
import { states, type State } from "@/words";
import { AppLink } from "./AppGrid";
import { Health, LastOperation, Sync } from "./columns";

/** One level of the tree: the field of its groups, and how a value narrows the filter. */
interface Level {
  title: string;
  field: ApplicationField;
  labelKey?: string;
  narrow: (filter: Filter, value: string) => Filter;
  /** The parameters of the URL that mean the same. */
  search: (value: string) => Record<string, string>;
}

const worstFirst: readonly State[] = ["degraded", "missing", "unknown", "progressing", "suspended", "healthy"];
const MOST_GROUPS = 100;
const MOST_ROWS = 50;

const levels = {
  runtime: { title: "Runtimes", field: ApplicationField.RUNTIME, narrow: (filter, value) => ({ ...filter, runtimes: [value] }), search: (value) => ({ runtime: value }) },
  cluster: { title: "Clusters", field: ApplicationField.CLUSTER, narrow: (filter, value) => ({ ...filter, clusters: [value] }), search: (value) => ({ cluster: value }) },
  namespace: { title: "Namespaces", field: ApplicationField.NAMESPACE, narrow: (filter, value) => ({ ...filter, namespaces: [value] }), search: (value) => ({ namespace: value }) },
  project: { title: "Projects", field: ApplicationField.PROJECT, narrow: (filter, value) => ({ ...filter, projects: [value] }), search: (value) => ({ project: value }) },
} satisfies Record<string, Level>;

/** Returns the levels that a group of the URL means; another word is a label. */
export function levelsOf(group: string): readonly Level[] {
  if (group === "" || group === "runtime") return [levels.runtime, levels.project];
  if (Object.hasOwn(levels, group)) return [levels[group as keyof typeof levels], levels.runtime];
  return [labelLevel(group.replace(/^label:/, "")), levels.runtime];
}

function labelLevel(labelKey: string): Level {
  return {
    title: labelKey,
    field: ApplicationField.LABEL,
    labelKey,
    narrow: (filter, value) => ({ ...filter, labelSelector: [filter.labelSelector, `${labelKey}=${value}`].filter(Boolean).join(",") }),
    search: (value) => ({ label: `${labelKey}=${value}` }),
  };
}

export interface GroupTreeProps {
  query: ApplicationQuery;
  filter: Filter;
  isSilent: (runtime: string) => boolean;
}

/** Applications in groups that open in place, each with its counts by state. */
export function GroupTree({ query, filter, isSilent }: GroupTreeProps) {
  return (
    <div className="min-h-0 grow overflow-y-auto">
      <ul role="tree" aria-label="Groups of applications" className="pb-4">
        <Groups query={query} filter={filter} levels={levelsOf(query.group)} depth={0} isSilent={isSilent} search={{}} />
      </ul>
    </div>
  );
}

interface GroupsProps extends GroupTreeProps {
  levels: readonly Level[];
  depth: number;
  search: Record<string, string>;
}

function Groups({ levels: [level, ...deeper], ...props }: GroupsProps) {
  const { filter, depth } = props;
  const request = { filter, fields: level ? [level.field] : [], labelKeys: level?.labelKey ? [level.labelKey] : [], mostValues: MOST_GROUPS, ownConditionLeftOut: false };
  const read = useApplicationFacets(request, { keepsPrevious: true });
  if (!level) return <Leaves {...props} />;
  if (read.isError && !read.data) return <li role="none"><FailureState error={read.error} what="list groups" onRetry={() => void read.refetch()} /></li>;
  const facet = read.data?.facets.find(({ field }) => field === level.field);
  if (!facet) return <li role="none"><SkeletonRows count={4} /></li>;
  return (
    <>
      {facet.values.map(({ value, count }) => (
        <Group key={value} level={level} deeper={deeper} value={value} count={count} {...props} />
      ))}
      {facet.others > 0n && <li role="none" className="py-1 text-label text-dim" style={{ paddingLeft: indent(depth) }}>{formatCount(facet.others)} applications in further {level.title.toLowerCase()}</li>}
    </>
  );
}

interface GroupProps extends Omit<GroupsProps, "levels"> {
  level: Level;
  deeper: readonly Level[];
  value: string;
  count: bigint;
}

function Group({ level, deeper, value, count, ...props }: GroupProps) {
  const [isOpen, setOpen] = useState(false);
  const filter = level.narrow(props.filter, value);
  const line = useRef<HTMLLIElement>(null);
  const isSeen = useSeen(line);
  const read = useApplicationFacets({ filter, fields: [ApplicationField.HEALTH], ownConditionLeftOut: false }, { keepsPrevious: true, enabled: isSeen });
  const states = countsOf(read.data?.facets[0]);
  const worst = states.find((each) => each.count > 0)?.state;
  const isSilent = level.field === ApplicationField.RUNTIME && props.isSilent(value);
  return (
    <li ref={line} role="treeitem" aria-expanded={isOpen} aria-level={props.depth + 1} aria-selected={false}>
      <button type="button" onClick={() => setOpen(!isOpen)} onKeyDown={(event) => walk(event, isOpen, setOpen)} className="row-height flex w-full items-center gap-2 border-b border-line/60 pr-3 text-left -outline-offset-2! hover:bg-panel" style={{ paddingLeft: indent(props.depth) }}>
        <ChevronRight size={14} aria-hidden className={classes("shrink-0 text-dim transition-transform duration-100", isOpen && "rotate-90")} />
        {(isSilent || worst) && <StateShape state={isSilent ? "silent" : (worst ?? "unknown")} />}
        <span className="min-w-0 truncate font-medium"><Name>{value || "(empty)"}</Name></span>
        {isSilent && <span className="text-bad">silent</span>}
        <span className="numbers text-dim">{formatCount(count)}</span>
        <span className="grow" />
        <StateCounts counts={states} />
      </button>
      {isOpen && (
        <ul role="group">
          <Groups {...props} levels={deeper} filter={filter} depth={props.depth + 1} search={{ ...props.search, ...level.search(value) }} />
        </ul>
      )}
    </li>
  );
}

/** Reports if an element has been in view, so that only groups that are seen are counted. */
function useSeen(element: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return isSeen;
}

/** Moves between groups by arrows, and opens and closes them. */
function walk(event: React.KeyboardEvent<HTMLElement>, isOpen: boolean, setOpen: (isOpen: boolean) => void) {
  const all = [...(event.currentTarget.closest("[role=tree]")?.querySelectorAll<HTMLElement>("button, a") ?? [])];
  const at = all.indexOf(event.currentTarget);
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step !== 0) all[at + step]?.focus();
  else if (event.key === "ArrowRight" && !isOpen) setOpen(true);
  else if (event.key === "ArrowLeft" && isOpen) setOpen(false);
  else return;
  event.preventDefault();
}

interface StateCount {
  state: State;
  count: number;
}

/** The counts by health, worst first. */
function countsOf(facet: ApplicationFacet | undefined): StateCount[] {
  return worstFirst.map((state) => ({ state, count: Number(facet?.values.find(({ value }) => value === states[state].word)?.count ?? 0n) }));
}

function StateCounts({ counts }: { counts: readonly StateCount[] }) {
  return (
    <span className="flex shrink-0 items-center gap-3">
      {counts.filter(({ count }) => count > 0).map(({ state, count }, index) => (
        <span key={state} title={`${formatCount(count)} ${states[state].word}`} className={classes("numbers flex items-center gap-1 text-label", state === "healthy" && "text-dim", index > 1 && "max-wide:hidden")}>
          <StateShape state={state} /><span className="sr-only">{states[state].word}</span>{formatShortCount(count)}
        </span>
      ))}
    </span>
  );
}

/** The applications of a group, worst first. */
function Leaves({ query, filter, depth, isSilent, search }: Omit<GroupsProps, "levels">) {
  const read = useApplicationPage({ filter, sort: sorts[query.sort], descending: query.descending, pageSize: MOST_ROWS }, { keepsPrevious: true, interval: 10_000 });
  if (read.isError && !read.data) return <li role="none"><FailureState error={read.error} what="list applications" onRetry={() => void read.refetch()} /></li>;
  if (!read.data) return <li role="none"><SkeletonRows count={3} /></li>;
  const rest = Number(read.data.total) - read.data.applications.length;
  return (
    <>
      {read.data.applications.map(toRow).map((row) => (
        <li key={row.key} role="treeitem" aria-level={depth + 1} aria-selected={false} className="row-height flex items-center gap-4 border-b border-line/60 pr-3 hover:bg-panel" style={{ paddingLeft: indent(depth) + 20 }}>
          <span className="min-w-0 grow"><AppLink row={row}><Name>{row.name}</Name></AppLink></span>
          <span className="w-32 shrink-0 max-wide:w-24"><Health row={row} isSilent={isSilent(row.runtime)} /></span>
          <span className="w-28 shrink-0 max-wide:hidden"><Sync row={row} /></span>
          <span className="w-36 shrink-0 max-desk:hidden"><LastOperation row={row} /></span>
        </li>
      ))}
      {rest > 0 && (
        <li role="none" className="py-1" style={{ paddingLeft: indent(depth) + 20 }}>
          <Link to="/apps" search={search}>{plural(rest, "more application")} in the table</Link>
        </li>
      )}
    </>
  );
}

function indent(depth: number): number {
  return 8 + depth * 20;
}
