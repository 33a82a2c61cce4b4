import type { LiveResource } from "@contract/causeway/inventory/v1/resource_service_pb";
import { Elapsed, Name, Time } from "@/format";
import { StateMark } from "@/state";
import { Link, type Column } from "@/ui";
import { workflowState } from "./phases";

export function workflowOf({ detail }: LiveResource) {
  return detail.case === "workflow" ? detail.value : undefined;
}

/** The columns of the list of workflows. */
export const columns: readonly Column<LiveResource>[] = [
  {
    id: "name",
    title: "Name",
    isHeader: true,
    cell: ({ runtime, cluster, namespace, name }) => (
      <Link to="/workflows/$runtime/$cluster/$namespace/$name" params={{ runtime, cluster, namespace, name }} className="text-text!">
        <Name className="max-w-[40ch]">{name}</Name>
      </Link>
    ),
  },
  {
    id: "phase",
    title: "Phase",
    cell: (row) => {
      const phase = workflowOf(row)?.phase ?? "";
      return <StateMark state={workflowState(phase)}>{phase || "Pending"}</StateMark>;
    },
  },
  { id: "progress", title: "Progress", align: "right", isSecondary: true, cell: (row) => workflowOf(row)?.progress || "–" },
  { id: "started", title: "Started", cell: (row) => <Time at={workflowOf(row)?.startedAt} className="numbers text-dim" /> },
  {
    id: "duration",
    title: "Duration",
    isSecondary: true,
    cell: (row) => <Elapsed since={workflowOf(row)?.startedAt} until={workflowOf(row)?.finishedAt} className="numbers text-dim" />,
  },
  { id: "template", title: "Template", isSecondary: true, cell: (row) => workflowOf(row)?.templateReference || <span className="text-dim">–</span> },
  { id: "runtime", title: "Runtime", isSecondary: true, cell: ({ runtime }) => <Name>{runtime}</Name> },
  { id: "namespace", title: "Namespace", isSecondary: true, cell: ({ namespace }) => <Name>{namespace}</Name> },
];
