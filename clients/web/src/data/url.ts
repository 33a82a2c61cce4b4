/** The state of the applications page in the URL: filter, sort, group and view as short stable words. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { HealthStatus, OperationPhase, SyncStatus } from "@contract/causeway/inventory/v1/application_pb";
import { ApplicationSort, type ApplicationFilterSchema, SourceKind } from "@contract/causeway/inventory/v1/application_service_pb";
import type { Search } from "@/search";
import { readText } from "./text-filter";

export const layouts = ["table", "cards", "tree"] as const;
export type Layout = (typeof layouts)[number];

export const sorts = {
  health: ApplicationSort.HEALTH,
  name: ApplicationSort.NAME,
  sync: ApplicationSort.SYNC,
  runtime: ApplicationSort.RUNTIME,
  cluster: ApplicationSort.CLUSTER,
  namespace: ApplicationSort.NAMESPACE,
  project: ApplicationSort.PROJECT,
  changed: ApplicationSort.CHANGED,
  created: ApplicationSort.CREATED,
  deployed: ApplicationSort.LAST_OPERATION,
} as const;
export type SortName = keyof typeof sorts;

/** The filters of the URL whose values are lists; a value that begins with "!" excludes. */
export const filterNames = ["health", "sync", "operation", "runtime", "cluster", "namespace", "project", "name", "source", "automated", "repository", "parent", "label", "keys"] as const;
export type FilterName = (typeof filterNames)[number];
export type Filters = Partial<Record<FilterName, string[]>>;

export interface ApplicationQuery {
  filters: Filters;
  /** The text of the filter field, with words such as label:team=a. */
  text: string;
  /** A time span back from now, such as 24h. */
  changed: string;
  favourites: boolean;
  sort: SortName;
  descending: boolean;
  /** A field, "parent", or "label:KEY"; empty for none. */
  group: string;
  layout: Layout;
}

export const noQuery: ApplicationQuery = { filters: {}, text: "", changed: "", favourites: false, sort: "health", descending: false, group: "", layout: "table" };

/** Reads what the URL says; what is not valid is as if it were not there. */
export function readQuery(search: Search): ApplicationQuery {
  const [sort, descending] = readSort(search["sort"]);
  const layout = layouts.find((each) => each === search["view"]) ?? "table";
  const filters: Filters = {};
  for (const name of filterNames) {
    const values = search[name] === undefined ? [] : splitList(search[name]);
    if (values.length > 0) filters[name] = values;
  }
  return {
    filters,
    text: search["q"] ?? "",
    changed: spanMillis(search["changed"] ?? "") === undefined ? "" : (search["changed"] ?? ""),
    favourites: search["favourites"] === "yes",
    sort,
    descending,
    group: search["group"] ?? "",
    layout,
  };
}

/** Writes the query over other parameters of the URL, which stay. */
export function writeQuery(query: ApplicationQuery, search: Search): Search {
  const next: Search = { ...search };
  const set = (name: string, value: string) => {
    if (value) next[name] = value;
    else delete next[name];
  };
  for (const name of filterNames) set(name, joinList(query.filters[name] ?? []));
  set("q", query.text);
  set("changed", query.changed);
  set("favourites", query.favourites ? "yes" : "");
  set("sort", writeSort(query.sort, query.descending));
  set("group", query.group);
  set("view", query.layout === "table" ? "" : query.layout);
  return next;
}

function readSort(text: string | undefined): [SortName, boolean] {
  const descending = text?.startsWith("-") ?? false;
  const name = descending ? text?.slice(1) : text;
  return name !== undefined && Object.hasOwn(sorts, name) ? [name as SortName, descending] : [noQuery.sort, false];
}

function writeSort(sort: SortName, descending: boolean): string {
  if (sort === noQuery.sort && !descending) return "";
  return `${descending ? "-" : ""}${sort}`;
}

/** Splits at commas that no backslash precedes. */
export function splitList(text: string): string[] {
  const values = text.match(/(?:[^,\\]|\\.)+/g) ?? [];
  return values.map((value) => value.replace(/\\(.)/g, "$1")).filter(Boolean);
}

export function joinList(values: readonly string[]): string {
  return values.map((value) => value.replace(/[\\,]/g, "\\$&")).join(",");
}

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the milliseconds of a span such as 30m, 24h or 7d. */
export function spanMillis(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  return count && unit ? Number(count) * (units[unit] ?? 0) : undefined;
}

export type Filter = MessageInitShape<typeof ApplicationFilterSchema>;
type Exclusion = Exclude<Filter["exclude"], undefined>;

/** Builds the filter of the contract; the favourites are keys of applications. */
export function toFilter(query: ApplicationQuery, now: number, favourites: readonly string[] = []): Filter {
  const typed = readText(query.text);
  const all: Filters = { ...query.filters };
  for (const [name, values] of Object.entries(typed.filters) as [FilterName, string[]][]) all[name] = [...(all[name] ?? []), ...values];
  const wanted = (name: FilterName) => (all[name] ?? []).filter((value) => !value.startsWith("!"));
  const excluded = (name: FilterName) => (all[name] ?? []).filter((value) => value.startsWith("!")).map((value) => value.slice(1));
  const span = spanMillis(query.changed);
  const keys = query.favourites ? favouriteKeys(wanted("keys"), favourites) : wanted("keys");
  const automated = wanted("automated")[0] ?? (excluded("automated")[0] ? (excluded("automated")[0] === "yes" ? "no" : "yes") : undefined);
  const filter: Filter = {
    text: typed.text,
    runtimes: wanted("runtime"),
    clusters: wanted("cluster"),
    namespaces: wanted("namespace"),
    projects: wanted("project"),
    names: wanted("name"),
    health: wanted("health").flatMap(healthOf),
    sync: wanted("sync").flatMap(syncOf),
    operation: wanted("operation").flatMap(operationOf),
    source: wanted("source").flatMap(sourceOf),
    repositories: wanted("repository"),
    parents: wanted("parent"),
    labelSelector: [...joinLabels(wanted("label")), ...excluded("label").map(negateLabel)].join(","),
    keys,
    ...(automated === undefined ? {} : { automated: automated === "yes" }),
    ...(span === undefined ? {} : { changedSince: timestampFromMs(Math.floor((now - span) / 60_000) * 60_000) }),
  };
  const exclude: Exclusion = {
    runtimes: excluded("runtime"),
    clusters: excluded("cluster"),
    namespaces: excluded("namespace"),
    projects: excluded("project"),
    names: excluded("name"),
    health: excluded("health").flatMap(healthOf),
    sync: excluded("sync").flatMap(syncOf),
  };
  return Object.values(exclude).some((values) => Array.isArray(values) && values.length > 0) ? { ...filter, exclude } : filter;
}

/** No favourite at all matches nothing, and not everything. */
function favouriteKeys(keys: readonly string[], favourites: readonly string[]): string[] {
  const chosen = keys.length > 0 ? favourites.filter((key) => keys.includes(key)) : favourites;
  return chosen.length > 0 ? chosen.slice(0, 500) : ["-/-/-/-"];
}

/** Several values of one label are alternatives: team=a and team=b become team in (a,b). */
function joinLabels(labels: readonly string[]): string[] {
  const values = new Map<string, string[]>();
  const others: string[] = [];
  for (const label of labels) {
    const [, key, value] = /^([^=!,() ]+)=([^=,() ]*)$/.exec(label) ?? [];
    if (key === undefined || value === undefined) others.push(label);
    else values.set(key, [...(values.get(key) ?? []), value]);
  }
  return [...[...values].map(([key, found]) => (found.length === 1 ? `${key}=${found[0]}` : `${key} in (${found.join(",")})`)), ...others];
}

function negateLabel(label: string): string {
  return label.includes("=") ? label.replace("=", "!=") : `!${label}`;
}

/** Finds a value of an enum by a word without regard to case and separators: outOfSync, out_of_sync and OutOfSync are one. */
function finder<T extends number>(values: Record<string, string | number>): (word: string) => T[] {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, "");
  const known = new Map(Object.entries(values).flatMap(([name, value]) => (typeof value === "number" ? [[plain(name), value]] : [])) as [string, T][]);
  return (word) => {
    const value = known.get(plain(word));
    return value === undefined ? [] : [value];
  };
}

const healthOf = finder<HealthStatus>(HealthStatus);
const syncOf = finder<SyncStatus>(SyncStatus);
const sourceOf = finder<SourceKind>(SourceKind);
const phaseOf = finder<OperationPhase>(OperationPhase);
const operationOf = (word: string) => (word === "none" ? [OperationPhase.UNSPECIFIED] : phaseOf(word));
