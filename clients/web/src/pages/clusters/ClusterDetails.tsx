import type { ReporterGroup } from "@contract/causeway/inventory/v1/reporter_service_pb";
import { formatCount, plainLine, Time } from "@/format";
import { StateMark } from "@/state";
import { Command, Link, Table, type Column } from "@/ui";
import { clusterStates, type Cluster } from "./clusters";

const columns: readonly Column<ReporterGroup>[] = [
  { id: "kind", title: "Kind", isHeader: true, cell: (group) => group.kind },
  { id: "reporters", title: "Reporters", align: "right", cell: ({ reporters }) => (reporters.length === 0 ? <StateMark state="silent">Lost</StateMark> : reporters.length) },
  { id: "objects", title: "Objects", align: "right", cell: ({ objects, objectsComplete }) => `${formatCount(objects)}${objectsComplete ? "" : "+"}` },
  { id: "seen", title: "Last seen", align: "right", cell: ({ reporters }) => <Time at={reporters[0]?.lastHeardAt} /> },
];

/** What is reported of a cluster, what cannot be read, and what would allow it. */
export function ClusterDetails({ cluster }: { cluster: Cluster }) {
  const { name, runtime, state, groups, notices, silentKinds } = cluster;
  return (
    <div className="flex flex-col gap-4">
      <p className="m-0 flex flex-wrap items-center gap-x-4 gap-y-1">
        <StateMark state={clusterStates[state]}>{state}</StateMark>
        <Link to="/runtimes/$name" params={{ name: runtime }}>{runtime}</Link>
        <Link to="/apps" search={{ cluster: name, runtime }}>Its applications</Link>
      </p>
      {(notices.length > 0 || silentKinds.length > 0) && (
        <section className="flex flex-col gap-2 rounded-card border border-warn p-3">
          <h3 className="font-semibold">Cannot be read</h3>
          <ul className="m-0 flex list-disc flex-col gap-1 pl-5">
            {silentKinds.length > 0 && <li>no reporter for {silentKinds.join(", ")}</li>}
            {notices.map((notice) => <li key={notice} className="break-words">{plainLine(notice)}</li>)}
          </ul>
          <p className="m-0 text-dim">This prints the account and the role that allow reading it:</p>
          <Command>{`causeway cluster add ${name} --dry-run | kubectl apply -f -`}</Command>
        </section>
      )}
      <Table label="Reported kinds" columns={columns} rows={groups} rowKey={(group) => group.kind} />
    </div>
  );
}
