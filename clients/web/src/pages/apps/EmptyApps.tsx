import { formatCount } from "@/format";
import { useApplicationFacets } from "@/data";
import { toFilter, type ApplicationQuery, type FilterName } from "@/data/url";
import { Button, Chip, EmptyState, Link } from "@/ui";
import { chipsOf } from "./chips";
import type { Apps } from "./useApps";

/** A list without rows: what it is for at first, or which condition hides everything. */
export function EmptyApps({ apps }: { apps: Apps }) {
  const chips = chipsOf(apps);
  if (chips.length === 0 && !apps.text) {
    return (
      <EmptyState title="No application yet" action={<Link to="/join">Join a runtime</Link>}>
        Applications of Argo CD appear here when a runtime reports them.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No application matches" action={<Button onPress={apps.clear}>Clear all filters</Button>}>
      <div className="flex flex-wrap justify-center gap-1.5">
        {chips.map(({ id, text, remove }) => (
          <Chip key={id} onRemove={remove} removeLabel={`Remove ${text}`}>{text} <Without apps={apps} id={id} /></Chip>
        ))}
        {apps.text && <Chip onRemove={() => apps.setText("")} removeLabel="Remove the text">text: {apps.text} <Without apps={apps} id="text" /></Chip>}
      </div>
    </EmptyState>
  );
}

/** How many would match without one condition. */
function Without({ apps, id }: { apps: Apps; id: string }) {
  const filter = toFilter(without(apps.query, id), Date.now());
  const { data } = useApplicationFacets({ filter, fields: [1], mostValues: 1 });
  return data ? <span className="text-dim">({formatCount(data.total)} without)</span> : null;
}

export function without(query: ApplicationQuery, id: string): ApplicationQuery {
  if (id === "text") return { ...query, text: "" };
  if (id === "favourites") return { ...query, favourites: false };
  if (id === "changed") return { ...query, changed: "" };
  const [name = "", ...rest] = id.split(":");
  const value = rest.join(":");
  const values = (query.filters[name as FilterName] ?? []).filter((each) => name !== "keys" && each !== value);
  return { ...query, filters: { ...query.filters, [name]: values } };
}
