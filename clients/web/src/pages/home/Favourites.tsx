import type { Application } from "@contract/causeway/inventory/v1/application_pb";
import { useApplicationPage, useFavourites } from "@/data";
import { FailureBanner } from "@/failure";
import { Elapsed, Revision } from "@/format";
import { healthState, StateMark, syncState } from "@/state";
import { BareLink, Link } from "@/ui";
import { Section } from "./Section";

const MOST = 24;

/** The applications that the user marked, each as it stands now. */
export function Favourites() {
  const { favourites } = useFavourites();
  const keys = favourites.slice(-MOST);
  const { data, error, refetch } = useApplicationPage({ filter: { keys: [...keys] }, pageSize: MOST }, { interval: 10_000, enabled: keys.length > 0, keepsPrevious: true });
  if (keys.length === 0) return null;
  return (
    <Section title="Favourites" beside={<Link to="/apps" search={{ favourites: "yes" }}>Open as a list</Link>}>
      {error && <FailureBanner error={error} what="list favourites" onRetry={() => void refetch()} />}
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(260px,1fr))] gap-3 pt-2" aria-label="Favourite applications">
        {data?.applications.map((application) => <Card key={application.uid} application={application} />)}
      </ul>
    </Section>
  );
}

function Card({ application }: { application: Application }) {
  const { runtime, cluster, namespace, name, status } = application;
  const revision = status?.sync?.revisions[0];
  return (
    <li>
      <BareLink
        to="/apps/$runtime/$cluster/$namespace/$name"
        params={{ runtime, cluster, namespace, name }}
        className="flex flex-col gap-1 rounded-card border border-edge bg-raised p-3 hover:bg-panel"
      >
        <span className="flex items-baseline justify-between gap-2">
          <span className="truncate font-semibold" title={name}>{name}</span>
          <span className="shrink-0 truncate text-label text-dim">{runtime}</span>
        </span>
        <span className="flex items-center gap-4">
          <StateMark state={healthState(status?.health?.status)} />
          <StateMark state={syncState(status?.sync?.status)} />
        </span>
        <span className="numbers flex justify-between text-label text-dim">
          {revision ? <Revision>{revision}</Revision> : <span />}
          <Elapsed since={status?.health?.since} />
        </span>
      </BareLink>
    </li>
  );
}
