import { useEffect, useRef, useState } from "react";
import { ApplicationField, type ApplicationFacet } from "@contract/causeway/inventory/v1/application_service_pb";
import { formatCount, formatShortCount, Name } from "@/format";
import { StateShape } from "@/state";
import { useApplicationFacets } from "@/data";
import { typedNames } from "@/data/text-filter";
import type { Filter, FilterName } from "@/data/url";
import { Button, Checkbox, Disclosure, Select, Skeleton } from "@/ui";
import { states, type State } from "@/words";
import type { Apps } from "./useApps";

interface FacetPlace {
  field: ApplicationField;
  name: FilterName;
  title: string;
  isOpen?: boolean;
}

const places: readonly FacetPlace[] = [
  { field: ApplicationField.HEALTH, name: "health", title: "Health", isOpen: true },
  { field: ApplicationField.SYNC, name: "sync", title: "Sync", isOpen: true },
  { field: ApplicationField.RUNTIME, name: "runtime", title: "Runtime", isOpen: true },
  { field: ApplicationField.PROJECT, name: "project", title: "Project" },
  { field: ApplicationField.NAMESPACE, name: "namespace", title: "Namespace" },
  { field: ApplicationField.CLUSTER, name: "cluster", title: "Cluster" },
  { field: ApplicationField.OPERATION, name: "operation", title: "Last operation" },
  { field: ApplicationField.AUTOMATED, name: "automated", title: "Automated sync" },
  { field: ApplicationField.SOURCE, name: "source", title: "Source" },
];

const SHOWN = 8;
const REFRESH = 2_000;

/** The filters of the page with counts; a second value of a field keeps its count. */
export function Facets({ apps, filter, changes, isReady }: { apps: Apps; filter: Filter; changes: number; isReady: boolean }) {
  const [labelKey, setLabelKey] = useState(() => apps.query.filters.label?.[0]?.split("=")[0] ?? "");
  const request = { filter, fields: places.map(({ field }) => field), mostValues: 50, labelKeys: labelKey ? [labelKey] : [] };
  // The rows come first: counts cost the server more.
  const read = useApplicationFacets(request, { keepsPrevious: true, enabled: isReady });
  useRefresh(changes, () => void read.refetch());
  const facets = read.data?.facets ?? [];
  const keys = read.data?.labelKeys ?? [];
  const label = facets.find((facet) => facet.field === ApplicationField.LABEL && facet.labelKey === labelKey);
  if (read.isError && !read.data) return <p className="text-label text-dim">Counts are not available: {read.error.message}</p>;
  return (
    <div className="flex flex-col gap-1">
      {places.map((place) => (
        <Facet key={place.name} place={place} facet={facets.find(({ field }) => field === place.field)} apps={apps} />
      ))}
      {(keys.length > 0 || labelKey) && (
        <Disclosure title="Label" startsOpen={Boolean(labelKey)}>
          <Select
            label="Label"
            hideLabel
            choices={withChosen(keys.map(({ value }) => value), labelKey).map((key) => ({ key, text: key }))}
            value={labelKey || null}
            onChange={setLabelKey}
            placeholder="Choose a label"
            className="mb-1"
          />
          {label && <Values name="label" facet={label} apps={apps} prefix={`${labelKey}=`} />}
        </Disclosure>
      )}
    </div>
  );
}

/** Reads again after changes, at most every two seconds. */
function useRefresh(changes: number, refresh: () => void) {
  const latest = useRef(refresh);
  latest.current = refresh;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (changes === 0) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      if (document.visibilityState === "visible") latest.current();
    }, REFRESH);
  }, [changes]);
  useEffect(() => () => clearTimeout(timer.current), []);
}

function Facet({ place, facet, apps }: { place: FacetPlace; facet: ApplicationFacet | undefined; apps: Apps }) {
  const chosen = apps.query.filters[place.name] ?? [];
  const count = chosen.length;
  const isStill = facet && facet.values.length < 2 && count === 0 && !place.isOpen;
  if (isStill) return null;
  const title = (
    <span className="flex grow items-center justify-between">
      {place.title}
      {count > 0 && <span className="numbers rounded-chip bg-accent-fill px-1.5 text-label text-accent">{count}</span>}
    </span>
  );
  return (
    <Disclosure title={title} startsOpen={place.isOpen === true || count > 0}>
      {facet ? <Values name={place.name} facet={facet} apps={apps} prefix="" /> : <Skeleton className="my-2 w-32" />}
    </Disclosure>
  );
}

function Values({ name, facet, apps, prefix }: { name: FilterName; facet: ApplicationFacet; apps: Apps; prefix: string }) {
  const [isAll, setAll] = useState(false);
  const chosen = apps.query.filters[name] ?? [];
  const known = facet.values.map(({ value, count }) => ({ word: prefix + wordOf(name, value), text: value, count }));
  const unknown = chosen.filter((word) => word.startsWith(prefix) && !known.some((value) => value.word === word));
  const values = [...known, ...unknown.map((word) => ({ word, text: word.slice(prefix.length), count: 0n }))];
  const shown = isAll ? values : values.filter(({ word }, index) => index < SHOWN || chosen.includes(word));
  return (
    <div role="group" aria-label={facet.labelKey || name} className="flex flex-col pb-1">
      {shown.map(({ word, text, count }) => (
        <FacetValue key={word} text={valueText(name, text)} state={stateOf(name, text)} count={count} isOn={chosen.includes(word)} onToggle={() => apps.toggle(name, word)} />
      ))}
      {values.length === 0 && <span className="py-1 text-label text-dim">none</span>}
      {values.length > shown.length && (
        <Button tone="quiet" className="h-6! self-start px-1! text-label!" onPress={() => setAll(true)}>{values.length - shown.length} more</Button>
      )}
      {isAll && facet.others > 0n && <span className="text-label text-dim">{formatCount(facet.others)} in other values</span>}
    </div>
  );
}

interface FacetValueProps {
  text: string;
  state: State | undefined;
  count: bigint;
  isOn: boolean;
  onToggle: () => void;
}

function FacetValue({ text, state, count, isOn, onToggle }: FacetValueProps) {
  return (
    <Checkbox isSelected={isOn} onChange={onToggle} className="w-full">
      {state && <StateShape state={state} />}
      <span className="min-w-0 grow truncate"><Name>{text}</Name></span>
      <span className="numbers text-label text-dim" title={formatCount(count)}>{formatShortCount(count)}</span>
    </Checkbox>
  );
}

/** Returns the word of the URL for a value of the contract: OutOfSync as outOfSync, true as yes. */
function wordOf(name: FilterName, value: string): string {
  if (name === "automated") return value === "true" ? "yes" : "no";
  if (name === "operation" && value === "") return "none";
  return name === "health" || name === "sync" || name === "operation" || name === "source" ? value.charAt(0).toLowerCase() + value.slice(1) : value;
}

function valueText(name: FilterName, value: string): string {
  if (name === "automated") return value === "true" || value === "yes" ? "On" : "Off";
  if (value === "") return name === "operation" ? "None" : "(empty)";
  return value.charAt(0).toUpperCase() === value.charAt(0) || !Object.values(typedNames).includes(name) || !stateOf(name, value) ? value : value.charAt(0).toUpperCase() + value.slice(1);
}

function stateOf(name: FilterName, value: string): State | undefined {
  if (name !== "health" && name !== "sync") return undefined;
  const state = value.charAt(0).toLowerCase() + value.slice(1);
  return Object.hasOwn(states, state) ? (state as State) : "unknown";
}

function withChosen(keys: readonly string[], chosen: string): readonly string[] {
  return chosen && !keys.includes(chosen) ? [chosen, ...keys] : keys;
}
