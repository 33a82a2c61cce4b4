import { Code } from "@connectrpc/connect";
import { ApplicationView } from "@contract/causeway/inventory/v1/application_service_pb";
import type { AuditRecord } from "@contract/causeway/platform/v1/audit_service_pb";
import type { ReactNode } from "react";
import { Loaded } from "@/admin";
import { useApplicationPage } from "@/data/reads/applications";
import { useAuditRecord } from "@/data/reads/platform";
import { formatDuration, formatExact, toMillis } from "@/format";
import { Command, CopyButton, Link } from "@/ui";
import { EndMark, Subject } from "./Marks";
import { EntryHash } from "./EntryHash";
import { applicationOf } from "./filter";
import { methodWords } from "./methods";

export interface RecordDetailsProps {
  auditId: string;
  platform: boolean;
}

/** One call with all that is recorded of it. */
export function RecordDetails({ auditId, platform }: RecordDetailsProps) {
  const read = useAuditRecord({ auditId, platform });
  return (
    <Loaded read={{ ...read, data: read.data?.record }} what="show the record" rows={8}>
      {(record) => (
        <div className="flex flex-col gap-4">
          <p className="m-0 flex flex-wrap items-center gap-x-3 text-h2 font-semibold">{methodWords(record.method)} <span className="text-body font-normal"><EndMark record={record} /></span></p>
          {record.message && <p className="m-0 rounded-card border border-line bg-panel px-3 py-2 break-words">{record.message}</p>}
          <ApplicationLink record={record} />
          <Fields record={record} />
          <EntryHash sequence={record.sequence} platform={platform} />
          <Command>{`causeway audit get ${auditId}${platform ? " --platform" : ""}`}</Command>
        </div>
      )}
    </Loaded>
  );
}

/** Opens the application as it was at the time of the call; its cluster is not in the record. */
function ApplicationLink({ record }: { record: AuditRecord }) {
  const application = applicationOf(record);
  const { data } = useApplicationPage(
    { view: ApplicationView.BASIC, filter: { runtime: application?.runtime ?? "", namespace: application?.namespace ?? "", name: application?.name ?? "" }, pageSize: 1 },
    { enabled: application !== undefined },
  );
  const cluster = data?.applications[0]?.cluster;
  const at = toMillis(record.endedAt ?? record.intendedAt);
  if (!application || cluster === undefined || at === undefined) return null;
  return (
    <p className="m-0 flex flex-wrap gap-4">
      <Link to="/apps/$runtime/$cluster/$namespace/$name" params={{ ...application, cluster }} search={{ at: new Date(at).toISOString() }}>Open {application.name} at that time</Link>
      <Link to="/apps/$runtime/$cluster/$namespace/$name" params={{ ...application, cluster }}>now</Link>
    </p>
  );
}

function Fields({ record }: { record: AuditRecord }) {
  const asked = toMillis(record.intendedAt);
  const ended = toMillis(record.endedAt);
  const rows: [string, ReactNode][] = [
    ["Who", <Subject>{record.subject}</Subject>],
    ["By", <Mono>{record.credential}</Mono>],
    ["Method", <Mono>{record.method}</Mono>],
    ["Permission", <Mono>{record.permission}</Mono>],
    ["Runtime", record.runtime ? <Link to="/runtimes/$name" params={{ name: record.runtime }}>{record.runtime}</Link> : "platform"],
    ["Target", <Mono>{record.target}</Mono>],
    ["Code", Code[record.code] ?? (record.code === 0 ? "OK" : String(record.code))],
    ["Asked", asked === undefined ? "–" : <span className="whitespace-pre-line">{formatExact(asked)}</span>],
    ["Ended", ended === undefined || asked === undefined ? "–" : `after ${formatDuration(ended - asked)}`],
    ["From", <Mono>{record.sourceAddress}</Mono>],
    ["Request id", <Mono canCopy>{record.requestId}</Mono>],
    ["Trace id", <Mono canCopy>{record.traceId}</Mono>],
    ["Id", <Mono canCopy>{record.auditId}</Mono>],
  ];
  return (
    <dl className="m-0 grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1">
      {rows.map(([title, value]) => (
        <div key={title} className="col-span-2 grid grid-cols-subgrid items-start">
          <dt className="text-dim">{title}</dt>
          <dd className="m-0 min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Mono({ children, canCopy }: { children: string; canCopy?: boolean }) {
  if (children === "") return <span className="text-dim">–</span>;
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="min-w-0 font-mono text-label break-all">{children}</code>
      {canCopy && <CopyButton text={children} what="id" />}
    </span>
  );
}
