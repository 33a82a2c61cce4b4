import type { DeploymentRecord } from "@contract/causeway/inventory/v1/application_service_pb";
import { authorName, formatDuration, Name, plainLine, Revision, Time, toMillis } from "@/format";
import { phaseState, StateMark } from "@/state";
import { Link, Table, type Column } from "@/ui";

/** Names a deployment in the URL. */
export function deploymentKey({ uid, operation }: DeploymentRecord): string {
  return `${uid}@${operation?.startedAt?.seconds ?? 0n}`;
}

export interface DeploymentTableProps {
  deployments: readonly DeploymentRecord[];
  selected?: string | undefined;
  onOpen?: (key: string) => void;
}

/** Deployments, latest first: when, what, by whom and how it ended. */
export function DeploymentTable({ deployments, selected, onOpen }: DeploymentTableProps) {
  return (
    <Table
      label="Deployments"
      columns={columns}
      rows={deployments}
      rowKey={deploymentKey}
      isSelected={(row) => deploymentKey(row) === selected}
      {...(onOpen ? { onOpen: (row: DeploymentRecord) => onOpen(deploymentKey(row)) } : {})}
    />
  );
}

const columns: readonly Column<DeploymentRecord>[] = [
  { id: "time", title: "Time", width: "6rem", cell: ({ operation }) => <Time at={operation?.startedAt} className="numbers whitespace-nowrap text-dim" /> },
  { id: "app", title: "Application", isHeader: true, cell: (row) => <ApplicationLink deployment={row} /> },
  { id: "runtime", title: "Runtime", isSecondary: true, cell: ({ runtime }) => <Name>{runtime}</Name> },
  { id: "change", title: "Change", isSecondary: true, cell: (row) => <Change deployment={row} /> },
  { id: "who", title: "Who", isSecondary: true, cell: ({ operation }) => <span className="whitespace-nowrap">{who(operation)}</span> },
  { id: "end", title: "Result", cell: ({ operation }) => <Result operation={operation} /> },
];

export function ApplicationLink({ deployment: { runtime, cluster, namespace, name } }: { deployment: DeploymentRecord }) {
  return (
    <Link to="/apps/$runtime/$cluster/$namespace/$name" params={{ runtime, cluster, namespace, name }} className="text-text!">
      <Name className="max-w-[28ch]">{name}</Name>
    </Link>
  );
}

function Change({ deployment: { operation } }: { deployment: DeploymentRecord }) {
  const revision = operation?.revisions[0] ?? operation?.commit?.sha ?? "";
  const message = plainLine(operation?.commit?.message ?? "");
  return (
    <span className="flex max-w-[52ch] min-w-0 items-baseline gap-2">
      {revision && <Revision>{revision}</Revision>}
      <span className="truncate" title={operation?.commit?.message}>{message}</span>
      {operation?.commit?.author && <span className="shrink-0 text-dim">— {authorName(operation.commit.author)}</span>}
    </span>
  );
}

/** Returns who started an operation. */
export function who(operation: DeploymentRecord["operation"]): string {
  if (operation?.initiatedBy) return operation.initiatedBy;
  return operation?.automated ? "automated" : "–";
}

export function Result({ operation }: { operation: DeploymentRecord["operation"] }) {
  const { word, state } = phaseState(operation?.phase);
  const from = toMillis(operation?.startedAt);
  const to = toMillis(operation?.finishedAt);
  return (
    <span className="flex items-center gap-3 whitespace-nowrap">
      <StateMark state={state}>{word}</StateMark>
      {from !== undefined && to !== undefined && <span className="numbers text-dim max-wide:hidden">{to - from < 1000 ? "<1 s" : formatDuration(to - from)}</span>}
    </span>
  );
}
