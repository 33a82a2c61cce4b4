import type { Reporter, ReporterGroup } from "@contract/causeway/inventory/v1/reporter_service_pb";
import { ReporterMoveKind } from "@contract/causeway/inventory/v1/reporter_service_pb";
import type { PartStatus } from "@contract/causeway/platform/v1/part_service_pb";
import type { Session } from "@contract/causeway/platform/v1/runtime_service_pb";
import { Code } from "@connectrpc/connect";
import type { ReactNode } from "react";
import { Loaded } from "@/admin";
import { useReporters } from "@/data/reads/resources";
import { Elapsed, formatCount, formatPercent, Time } from "@/format";
import { StateMark } from "@/state";
import { PartMark, shortInstance, waitsFor, type PartGroup } from "@/topology";
import { Table, type Column } from "@/ui";

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-1 text-h2 font-semibold">{title}</h2>
      {children}
    </section>
  );
}

/** The id of a replica by its telling end, whole on hover. */
function Instance({ children }: { children: string }) {
  return <code title={children} className="font-mono text-label">{shortInstance(children)}</code>;
}

const sessionColumns: readonly Column<Session>[] = [
  { id: "slot", title: "Session", isHeader: true, cell: (session) => `Slot ${session.slot}` },
  { id: "server", title: "Tunnel server", cell: (session) => <Instance>{session.server}</Instance> },
  { id: "client", title: "Client", cell: (session) => <Instance>{session.client}</Instance>, isSecondary: true },
  { id: "peer", title: "From", cell: (session) => <code className="font-mono text-label">{session.peerAddress}</code> },
  { id: "version", title: "Version", cell: (session) => session.version, isSecondary: true },
  { id: "generation", title: "Reconnects", align: "right", cell: (session) => formatCount(session.generation > 0n ? session.generation - 1n : 0n), isSecondary: true },
  { id: "since", title: "Connected", align: "right", cell: (session) => <Elapsed since={session.connectedAt} /> },
];

export function SessionTable({ sessions }: { sessions: readonly Session[] }) {
  return (
    <Section title="Tunnel sessions">
      {sessions.length === 0 ? (
        <p className="text-dim">No session: actions do not reach this runtime through the tunnel.</p>
      ) : (
        <Table label="Tunnel sessions" columns={sessionColumns} rows={sessions} rowKey={(session) => `${session.server}/${session.client}/${session.slot}`} />
      )}
    </Section>
  );
}

const partColumns: readonly Column<PartStatus>[] = [
  { id: "part", title: "Part", isHeader: true, cell: (part) => part.part },
  { id: "health", title: "Health", cell: (part) => <PartMark part={part} /> },
  { id: "version", title: "Version", cell: (part) => part.version },
  { id: "instance", title: "Replica", cell: (part) => <Instance>{part.instance}</Instance>, isSecondary: true },
  { id: "waits", title: "Waiting for", cell: (part) => <span className="text-dim">{waitsFor(part)}</span>, isSecondary: true },
  { id: "seen", title: "Last seen", align: "right", cell: (part) => <Time at={part.lastSeenAt} /> },
];

export function PartTable({ groups }: { groups: readonly PartGroup[] }) {
  const parts = groups.flatMap((group) => group.replicas);
  return (
    <Section title="Parts">
      {parts.length === 0 ? (
        <p className="text-dim">No part has announced itself.</p>
      ) : (
        <Table label="Parts" columns={partColumns} rows={parts} rowKey={(part) => part.instance} />
      )}
    </Section>
  );
}

interface ReporterRow {
  group: ReporterGroup;
  reporter: Reporter | undefined;
}

const reporterColumns: readonly Column<ReporterRow>[] = [
  { id: "kind", title: "Kind", isHeader: true, cell: ({ group }) => group.kind },
  { id: "cluster", title: "Cluster", cell: ({ group }) => group.cluster },
  { id: "reporter", title: "Reporter", cell: ({ reporter }) => (reporter ? <Instance>{reporter.instance}</Instance> : <StateMark state="silent">lost</StateMark>) },
  { id: "version", title: "Version", cell: ({ reporter }) => reporter?.version ?? "–", isSecondary: true },
  { id: "objects", title: "Objects", align: "right", cell: ({ reporter }) => (reporter ? formatCount(reporter.objects) : "–") },
  { id: "share", title: "Share", align: "right", cell: share, isSecondary: true },
  { id: "since", title: "Since", align: "right", cell: ({ reporter }) => <Elapsed since={reporter?.since} />, isSecondary: true },
  { id: "lag", title: "Last message", align: "right", cell: ({ reporter }) => <Time at={reporter?.lastHeardAt} /> },
];

function share({ group, reporter }: ReporterRow): string {
  if (!reporter || group.objects === 0n) return "–";
  return formatPercent(Number(reporter.objects) / Number(group.objects));
}

/** Who reports which objects, and how long ago the last message of each came. */
export function ReporterTable({ runtime }: { runtime: string }) {
  const read = useReporters(runtime, { interval: 5_000 });
  if (read.error?.code === Code.NotFound) return <Section title="Reporters"><p className="text-dim">Nothing has ever reported.</p></Section>;
  return (
    <Section title="Reporters">
      <Loaded read={read} what="list reporters" rows={4}>
        {(pages) => {
          const groups = pages.flatMap((page) => page.groups);
          const rows = groups.flatMap(rowsOf);
          return (
            <>
              <Table label="Reporters" columns={reporterColumns} rows={rows} rowKey={(row) => `${row.group.kind}/${row.group.cluster}/${row.reporter?.instance}`} />
              <Moves groups={groups} />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function rowsOf(group: ReporterGroup): ReporterRow[] {
  return group.reporters.length === 0 ? [{ group, reporter: undefined }] : group.reporters.map((reporter) => ({ group, reporter }));
}

const moves: Partial<Record<ReporterMoveKind, string>> = {
  [ReporterMoveKind.JOINED]: "joined",
  [ReporterMoveKind.LEFT]: "left",
  [ReporterMoveKind.LOST]: "was lost",
};

/** The last change of the members of each group that lost one. */
function Moves({ groups }: { groups: readonly ReporterGroup[] }) {
  const moved = groups.filter((group) => group.lastMove && group.lastMove.kind !== ReporterMoveKind.JOINED);
  if (moved.length === 0) return null;
  return (
    <ul className="mt-2 mb-0 list-none p-0 text-dim">
      {moved.map(({ kind, cluster, lastMove }) => (
        <li key={`${kind}/${cluster}`}>
          {kind} of {cluster}: {shortInstance(lastMove?.instance ?? "")} {moves[lastMove?.kind ?? 0] ?? "changed"} <Time at={lastMove?.movedAt} />, {formatCount(lastMove?.objects ?? 0n)} objects moved
        </li>
      ))}
    </ul>
  );
}
