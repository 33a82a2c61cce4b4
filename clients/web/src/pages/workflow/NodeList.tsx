import { Elapsed } from "@/format";
import { workflowState } from "@/pages/workflows/phases";
import { StateMark } from "@/state";
import { Button, classes, EmptyState, Table, type Column } from "@/ui";
import type { NodeRow } from "./nodes";

interface NodeListProps {
  rows: readonly NodeRow[];
  selected: string | undefined;
  onOpen: (id: string) => void;
}

/** The nodes as a tree, each with its bar in the workflow's time. */
export function NodeList({ rows, selected, onOpen }: NodeListProps) {
  if (rows.length === 0) return <EmptyState title="No nodes yet">Nodes appear when the workflow controller starts them.</EmptyState>;
  return (
    <Table
      label="Nodes"
      columns={columns(onOpen)}
      rows={rows}
      rowKey={({ node }) => node.id}
      isSelected={({ node }) => node.id === selected}
      onOpen={({ node }) => onOpen(node.id)}
    />
  );
}

function columns(onOpen: (id: string) => void): readonly Column<NodeRow>[] {
  return [
    {
      id: "name",
      title: "Node",
      isHeader: true,
      cell: ({ node, depth }) => (
        <span className="flex" style={{ paddingLeft: depth * 16 }}>
          <Button tone="quiet" className="h-6! px-1! text-text!" onPress={() => onOpen(node.id)}>{node.name}</Button>
        </span>
      ),
    },
    { id: "phase", title: "Phase", cell: ({ node }) => <StateMark state={workflowState(node.phase)}>{node.phase || "Pending"}</StateMark> },
    { id: "type", title: "Type", isSecondary: true, cell: ({ node }) => <span className="text-dim">{node.type}</span> },
    { id: "duration", title: "Duration", isSecondary: true, align: "right", cell: ({ node }) => <Elapsed since={node.startedAt} until={node.finishedAt} className="numbers text-dim" /> },
    { id: "time", title: "Time", isSecondary: true, width: "40%", cell: (row) => <TimeBar row={row} /> },
  ];
}

const fills: Partial<Record<ReturnType<typeof workflowState>, string>> = { healthy: "fill-ok", degraded: "fill-bad", running: "fill-accent" };

function TimeBar({ row: { node, span } }: { row: NodeRow }) {
  if (!span) return null;
  return (
    <svg width="100%" height="8" aria-hidden className="block overflow-visible">
      <rect width="100%" height="8" rx="2" className="fill-panel" />
      <rect
        x={`${span.from * 100}%`}
        width={`${Math.max(0.4, (span.to - span.from) * 100)}%`}
        height="8"
        rx="2"
        className={classes(fills[workflowState(node.phase)] ?? "fill-unknown", "opacity-70")}
      />
    </svg>
  );
}
