import { useParams, useSearch } from "@tanstack/react-router";
import { KeyRound, Trash2 } from "lucide-react";
import { useState } from "react";
import { Loaded, useGuard, type Guard } from "@/admin";
import { useParts, useRuntime } from "@/data/reads/platform";
import { Time } from "@/format";
import { Page } from "@/shell";
import { ConnectionMark, isSilent, PartTrouble, runtimeNode, RuntimeStep, useApplicationCounts, useRuntimeChanges, type RuntimeNode } from "@/topology";
import { Connection, type Runtime } from "@contract/causeway/platform/v1/runtime_service_pb";
import { Chip, CopyButton, GuardedButton, Link } from "@/ui";
import { PartTable, ReporterTable, SessionTable } from "./Tables";
import { RejoinDialog } from "./RejoinDialog";
import { RevokeDialog } from "./RevokeDialog";

const crumbsOf = (name: string) => [{ text: name }];

/** One runtime: its connection, its parts, its reporters, and how to revoke it or let it join again. */
export default function RuntimePage() {
  const { name = "" } = useParams({ strict: false }) as { name?: string };
  const { ask } = useSearch({ strict: false }) as { ask?: string };
  const [dialog, setDialog] = useState<"revoke" | "rejoin" | undefined>(ask === "revoke" ? "revoke" : undefined);
  const guard = useGuard();
  const read = useRuntime(name, { interval: 5_000 });
  const parts = useParts({ interval: 5_000 });
  useRuntimeChanges();
  const runtime = read.data?.runtime;
  const node = runtime && runtimeNode(runtime, parts.parts ?? []);
  return (
    <Page
      title={name}
      crumbs={crumbsOf(name)}
      badge={runtime && isSilent(runtime) ? "◌" : undefined}
      actions={runtime && <Actions runtime={runtime} guard={guard} onAsk={setDialog} />}
    >
      <Loaded read={{ ...read, data: node }} what={`show ${name}`}>{(data) => <Content node={data} />}</Loaded>
      {node && (
        <>
          <RevokeDialog node={node} isOpen={dialog === "revoke"} onClose={() => setDialog(undefined)} />
          <RejoinDialog name={name} isOpen={dialog === "rejoin"} onClose={() => setDialog(undefined)} />
        </>
      )}
    </Page>
  );
}

interface ActionsProps {
  runtime: Runtime;
  guard: Guard;
  onAsk: (dialog: "revoke" | "rejoin") => void;
}

function Actions({ runtime, guard, onAsk }: ActionsProps) {
  const isRevoked = runtime.connection === Connection.REVOKED;
  return (
    <>
      <GuardedButton icon={<KeyRound size={14} aria-hidden />} reason={guard("runtime.rejoin")} onPress={() => onAsk("rejoin")}>
        Rejoin token…
      </GuardedButton>
      <GuardedButton
        tone="danger"
        icon={<Trash2 size={14} aria-hidden />}
        reason={isRevoked ? `${runtime.name} is revoked already.` : guard("runtime.revoke")}
        onPress={() => onAsk("revoke")}
      >
        Revoke…
      </GuardedButton>
    </>
  );
}

function Content({ node }: { node: RuntimeNode }) {
  const { runtime, troubled } = node;
  return (
    <div className="flex flex-col gap-6">
      <Facts runtime={runtime} />
      <RuntimeStep runtime={runtime} />
      {troubled.length > 0 && !isSilent(runtime) && (
        <ul aria-label="What needs attention" className="m-0 flex list-none flex-col gap-3 rounded-card border border-warn p-3">
          {troubled.map((part) => <PartTrouble key={part.instance} part={part} />)}
        </ul>
      )}
      <SessionTable sessions={runtime.sessions} />
      <PartTable groups={node.parts} />
      <ReporterTable runtime={runtime.name} />
    </div>
  );
}

function Facts({ runtime }: { runtime: Runtime }) {
  const apps = useApplicationCounts().get(runtime.name);
  const facts: [string, React.ReactNode][] = [
    ["State", <ConnectionMark runtime={runtime} />],
    ["Last seen", <Time at={runtime.lastSeenAt} />],
    ["Applications", <Link to="/apps" search={{ runtime: runtime.name }}>{String(apps ?? 0)}</Link>],
    ["Version", runtime.version || "–"],
    ["Joined", <Time at={runtime.joinedAt} />],
    ["Clusters", <Link to="/clusters" search={{ runtime: runtime.name }}>clusters of {runtime.name}</Link>],
    ["Git", <Link to="/runtimes/$name/integrations" params={{ name: runtime.name }}>integrations of {runtime.name}</Link>],
    ["Webhooks", <Link to="/runtimes/$name/webhooks" params={{ name: runtime.name }}>webhooks of {runtime.name}</Link>],
    ["Id", <span className="inline-flex items-center gap-1"><code className="font-mono text-label break-all">{runtime.runtimeId}</code><CopyButton text={runtime.runtimeId} what="runtime id" /></span>],
    ["Allows", <Allowed actions={runtime.allowedActions} />],
  ];
  return (
    <dl className="m-0 grid grid-cols-[repeat(auto-fill,minmax(140px,1fr))] gap-x-6 gap-y-3 rounded-card border border-line p-3">
      {facts.map(([title, value]) => (
        <div key={title} className="min-w-0 last:col-span-full">
          <dt className="text-label text-dim">{title}</dt>
          <dd className="m-0 flex min-h-6 items-center">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What the runtime's own list allows, which no role can exceed. */
function Allowed({ actions }: { actions: readonly string[] }) {
  if (actions.length === 0) return <span className="text-dim">not announced</span>;
  return <span className="flex flex-wrap gap-1">{actions.map((action) => <Chip key={action}>{action}</Chip>)}</span>;
}
