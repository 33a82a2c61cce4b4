import { formatCount, Name, Time } from "@/format";
import { ConnectionMark, countReporters, type RuntimeNode } from "@/topology";
import { Link, Table, type Column } from "@/ui";

/** The columns that tell if a runtime is there and what it holds. */
function columns(counts: ReadonlyMap<string, bigint>): Column<RuntimeNode>[] {
  return [
    { id: "name", title: "Name", isHeader: true, cell: ({ runtime }) => <RuntimeName node={{ runtime }} /> },
    { id: "state", title: "State", cell: ({ runtime }) => <ConnectionMark runtime={runtime} /> },
    { id: "sessions", title: "Sessions", align: "right", isSecondary: true, cell: ({ runtime }) => runtime.sessions.length },
    { id: "reporters", title: "Reporters", align: "right", isSecondary: true, cell: (node) => <Reporters node={node} /> },
    { id: "apps", title: "Apps", align: "right", cell: ({ runtime }) => formatCount(counts.get(runtime.name) ?? 0) },
    { id: "version", title: "Version", isSecondary: true, cell: ({ runtime }) => runtime.version },
    { id: "joined", title: "Joined", align: "right", isSecondary: true, cell: ({ runtime }) => <Time at={runtime.joinedAt} /> },
    { id: "seen", title: "Last seen", align: "right", cell: ({ runtime }) => <Time at={runtime.lastSeenAt} /> },
  ];
}

export function RuntimeTable({ nodes, counts }: { nodes: readonly RuntimeNode[]; counts: ReadonlyMap<string, bigint> }) {
  return <Table label="Runtimes" columns={columns(counts)} rows={nodes} rowKey={({ runtime }) => runtime.runtimeId} />;
}

export function RuntimeName({ node: { runtime } }: { node: Pick<RuntimeNode, "runtime"> }) {
  return (
    <Link to="/runtimes/$name" params={{ name: runtime.name }} className="inline-flex min-w-0 max-w-full">
      <Name>{runtime.name}</Name>
    </Link>
  );
}

export function Reporters({ node }: { node: RuntimeNode }) {
  const { serving, all } = countReporters(node);
  return <span className={serving < all ? "text-warn" : undefined}>{serving}/{all}</span>;
}
