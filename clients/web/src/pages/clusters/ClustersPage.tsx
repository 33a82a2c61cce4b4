import { useNavigate, useSearch } from "@tanstack/react-router";
import { Loaded } from "@/admin";
import { ApplicationField } from "@contract/causeway/inventory/v1/application_service_pb";
import { useApplicationFacets } from "@/data/reads/applications";
import { formatCount, Name, plural, Time } from "@/format";
import type { Search } from "@/search";
import { Page, useDrawer } from "@/shell";
import { StateMark } from "@/state";
import { Banner, Button, Chip, Command, Drawer, EmptyState, Link, SearchField, Table, type Column } from "@/ui";
import { ClusterDetails } from "./ClusterDetails";
import { clusterStates, type Cluster } from "./clusters";
import { useClusters } from "./useClusters";

const keyOf = (cluster: Cluster) => `${cluster.runtime}/${cluster.name}`;

/** Clusters by what is reported of them; ?runtime=, ?q= and ?drawer= are in the URL. */
export default function ClustersPage() {
  const { runtime } = useSearch({ strict: false }) as Search;
  const read = useClusters(runtime);
  const troubled = read.data?.filter((cluster) => cluster.state !== "Healthy").length ?? 0;
  const drawer = (target: string, close: () => void) => {
    const cluster = read.data?.find((cluster) => keyOf(cluster) === target);
    return cluster ? (
      <Drawer title={cluster.name} label={`Cluster ${cluster.name}`} onClose={close}>
        <ClusterDetails cluster={cluster} />
      </Drawer>
    ) : null;
  };
  return (
    <Page title="Clusters" badge={troubled > 0 ? `▲ ${troubled}` : undefined} drawer={drawer}>
      {read.missing.length > 0 && (
        <div className="mb-3"><Banner tone="warn">Clusters of {read.missing.join(", ")} cannot be read now.</Banner></div>
      )}
      <Loaded read={read} what="list clusters">{(clusters) => <Content clusters={clusters} />}</Loaded>
    </Page>
  );
}

function Content({ clusters }: { clusters: readonly Cluster[] }) {
  const { runtime, q = "" } = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const drawer = useDrawer();
  const set = (change: Search) => void navigate({ to: ".", search: (search: Search) => ({ ...search, ...change }), replace: true });
  const shown = clusters.filter((cluster) => keyOf(cluster).includes(q.trim()));
  const columns = useColumns(drawer.open);
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <SearchField label="Filter clusters by name" placeholder="Name" value={q} onChange={(text) => set({ q: text || undefined })} className="w-60 max-wide:w-full" />
        {runtime && <Chip onRemove={() => set({ runtime: undefined })} removeLabel={`Show clusters of all runtimes`}>runtime: {runtime}</Chip>}
        <span className="text-dim">{plural(shown.length, "cluster")}</span>
      </div>
      {clusters.length === 0 ? (
        <EmptyState title="No cluster reports" action={<Command>causeway cluster add NAME</Command>}>
          Each runtime reports the cluster that it runs in. Add an account for further clusters that an Argo CD manages.
        </EmptyState>
      ) : shown.length === 0 ? (
        <EmptyState title={`No cluster matches ${q}`} action={<Button onPress={() => set({ q: undefined })}>Show all {clusters.length}</Button>} />
      ) : (
        <Table label="Clusters" columns={columns} rows={shown} rowKey={keyOf} isSelected={(cluster) => keyOf(cluster) === drawer.target} onOpen={(cluster) => drawer.open(keyOf(cluster))} />
      )}
    </>
  );
}

function useColumns(open: (key: string) => void): readonly Column<Cluster>[] {
  const { data } = useApplicationFacets({ fields: [ApplicationField.CLUSTER], mostValues: 100 });
  const apps = new Map(data?.facets[0]?.values.map(({ value, count }) => [value, count]));
  return [
    {
      id: "name",
      title: "Name",
      isHeader: true,
      cell: (cluster) => (
        <button type="button" className="max-w-full rounded-control text-left text-accent hover:underline" onClick={() => open(keyOf(cluster))}>
          <Name>{cluster.name}</Name>
        </button>
      ),
    },
    { id: "runtime", title: "Runtime", cell: ({ runtime }) => <Link to="/runtimes/$name" params={{ name: runtime }}>{runtime}</Link> },
    { id: "state", title: "State", cell: ({ state }) => <StateMark state={clusterStates[state]}>{state}</StateMark> },
    { id: "apps", title: "Apps", align: "right", cell: ({ name }) => formatCount(apps.get(name) ?? 0) },
    { id: "kinds", title: "Kinds", align: "right", isSecondary: true, cell: ({ groups }) => groups.length },
    { id: "objects", title: "Resources", align: "right", isSecondary: true, cell: ({ objects }) => formatCount(objects) },
    { id: "unread", title: "Cannot be read", isSecondary: true, cell: ({ silentKinds, notices }) => <span className="text-warn">{[...silentKinds, ...notices].length > 0 ? plural([...silentKinds, ...notices].length, "problem") : ""}</span> },
    { id: "seen", title: "Last seen", align: "right", cell: ({ lastSeen }) => <Time at={lastSeen} /> },
  ];
}
