import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { Loaded, useGuard } from "@/admin";
import { plural } from "@/format";
import type { Search } from "@/search";
import { Page, useCommands } from "@/shell";
import { isSilent, useApplicationCounts, useTopology, type Topology } from "@/topology";
import { Command, EmptyState, GuardedButton, SearchField, Tabs } from "@/ui";
import { RuntimeTable } from "./RuntimeTable";
import { TopologyPicture } from "./TopologyPicture";

const views = [
  { id: "topology", text: "Topology" },
  { id: "list", text: "List" },
] as const;

/** All runtimes and how they reach the platform; ?view= and ?q= are in the URL. */
export default function RuntimesPage() {
  const navigate = useNavigate();
  const reason = useGuard()("runtime.create");
  const topology = useTopology();
  const silent = topology.data ? allRuntimes(topology.data).filter(({ runtime }) => isSilent(runtime)).length : 0;
  const join = () => void navigate({ to: "/join" });
  useCommands([{ id: "join", text: "Join a runtime", reason, run: join }]);
  const actions = (
    <GuardedButton tone="accent" icon={<Plus size={14} aria-hidden />} reason={reason} onPress={join}>
      Join a runtime
    </GuardedButton>
  );
  return (
    <Page title="Runtimes" badge={silent > 0 ? `◌ ${silent}` : undefined} actions={actions}>
      <Loaded read={topology} what="list runtimes">{(data) => <Content topology={data} />}</Loaded>
    </Page>
  );
}

/** Returns each runtime once, whatever number of tunnel servers holds its sessions. */
function allRuntimes(topology: Topology) {
  const nodes = [...topology.servers.flatMap((server) => server.runtimes), ...topology.detached];
  const byName = new Map(nodes.map((node) => [node.runtime.name, node]));
  return [...byName.values()].sort((a, b) => a.runtime.name.localeCompare(b.runtime.name));
}

function Content({ topology }: { topology: Topology }) {
  const { view = "topology", q = "" } = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const counts = useApplicationCounts();
  const set = (change: Search, replace: boolean) =>
    void navigate({ to: ".", search: (search: Search) => ({ ...search, ...change }), replace });
  const nodes = allRuntimes(topology);
  const shown = nodes.filter(({ runtime }) => runtime.name.includes(q.trim()));
  return (
    <Tabs label="View" tabs={views} value={view === "list" ? "list" : "topology"} onChange={(id) => set({ view: id === "list" ? id : undefined }, false)}>
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <SearchField label="Filter runtimes by name" placeholder="Name" value={q} onChange={(text) => set({ q: text || undefined }, true)} className="w-60 max-wide:w-full" />
        <span className="text-dim">{plural(nodes.length, "runtime")}</span>
      </div>
      {nodes.length === 0 ? (
        <NoRuntimes />
      ) : shown.length === 0 ? (
        <EmptyState title={`No runtime matches ${q}`}>{plural(nodes.length, "runtime")} without this filter.</EmptyState>
      ) : view === "list" ? (
        <RuntimeTable nodes={shown} counts={counts} />
      ) : (
        <TopologyPicture topology={topology} isShown={(name) => name.includes(q.trim())} counts={counts} />
      )}
    </Tabs>
  );
}

function NoRuntimes() {
  return (
    <EmptyState title="No runtime has joined" action={<Command>causeway runtime install NAME</Command>}>
      A runtime stands beside an Argo CD and dials out to this platform. It reports its applications and acts on them.
    </EmptyState>
  );
}
