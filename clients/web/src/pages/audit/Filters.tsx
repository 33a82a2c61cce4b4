import { useNavigate, useSearch } from "@tanstack/react-router";
import { useUsers, useRuntimes } from "@/data/reads/platform";
import type { Search } from "@/search";
import { Button, Chip, EmptyState, Select, TextField } from "@/ui";
import { endings, filterNames, spanOf, spans } from "./filter";
import { methods } from "./methods";

const ANY = "*";

function useFilters(): [Search, (change: Search, replace?: boolean) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const set = (change: Search, replace = false) => void navigate({ to: ".", search: (before: Search) => ({ ...before, ...change }), replace });
  return [search, set];
}

/** The filters over the records. */
export function Filters() {
  const [search, set] = useFilters();
  const { users } = useUsers();
  const { runtimes } = useRuntimes();
  const choice = (name: string) => (key: string) => set({ [name]: key === ANY ? undefined : key });
  const withCurrent = (names: readonly string[], current: string | undefined) => (current && !names.includes(current) ? [...names, current] : names);
  const choices = (all: string, names: readonly string[]) => [{ key: ANY, text: all }, ...names.map((name) => ({ key: name, text: name }))];
  return (
    <div className="mb-3 grid grid-cols-[repeat(auto-fill,minmax(150px,1fr))] items-end gap-2">
      <Select label="Who" choices={choices("Any user", withCurrent(users?.map(({ user }) => user) ?? [], search["user"]))} value={search["user"] ?? ANY} onChange={choice("user")} />
      <Select label="What" choices={choices("Anything", withCurrent(methods.map(({ name }) => name), search["method"]))} value={search["method"] ?? ANY} onChange={choice("method")} />
      <Select label="Runtime" choices={choices("Any runtime", withCurrent(runtimes?.map(({ name }) => name) ?? [], search["runtime"]))} value={search["runtime"] ?? ANY} onChange={choice("runtime")} />
      <TextField label="Target" placeholder="applications/argocd/shop" value={search["target"] ?? ""} onChange={(text) => set({ target: text || undefined }, true)} autoComplete="off" />
      <Select label="End" choices={endings} value={(search["end"] as "any" | undefined) ?? "any"} onChange={(key) => set({ end: key === "any" ? undefined : key })} />
      <Select label="Time" choices={spans} value={spanOf(search)} onChange={(key) => set({ span: key === "7d" ? undefined : key })} />
      <Select
        label="Chain"
        choices={[{ key: "account", text: "Account" }, { key: "platform", text: "Platform", note: "before sign-in" }]}
        value={search["chain"] === "platform" ? "platform" : "account"}
        onChange={(key) => set({ chain: key === "platform" ? key : undefined })}
      />
    </div>
  );
}

/** Filters to remove where nothing matches. */
export function NoRecord() {
  const [search, set] = useFilters();
  const active = filterNames.filter((name) => search[name] !== undefined);
  if (active.length === 0) return <EmptyState title="No call in the last 7 days" action={<Button onPress={() => set({ span: "all" })}>Show all</Button>}>Each change and each denied call is recorded here.</EmptyState>;
  return (
    <EmptyState title="No record matches" action={<Button onPress={() => set(Object.fromEntries(active.map((name) => [name, undefined])))}>Remove all filters</Button>}>
      <span className="flex flex-wrap justify-center gap-1">
        {active.map((name) => <Chip key={name} onRemove={() => set({ [name]: undefined })} removeLabel={`Remove the filter ${name}`}>{name}: {search[name]}</Chip>)}
      </span>
    </EmptyState>
  );
}
