import { SessionService, type UserSession } from "@contract/causeway/platform/v1/session_service_pb";
import { useState } from "react";
import { ConfirmDialog, invalidate, Loaded, useChange, useGuard } from "@/admin";
import { useQueryClient } from "@tanstack/react-query";
import { call } from "@/data/transport";
import { newRequestId } from "@client/request-id";
import { useSessions, useWhoAmI } from "@/data/reads/platform";
import { plural, Time } from "@/format";
import { notify } from "@/shell";
import { AlertDialog, Button, Chip, EmptyState, GuardedButton, Table, type Column } from "@/ui";
import { Toolbar, useFilter } from "../Toolbar";

/** Sessions that have not ended: own ones, and those of others where the caller may see them. */
export default function Sessions() {
  const read = useSessions();
  const guard = useGuard();
  const { data: me } = useWhoAmI();
  const [q] = useFilter();
  const [revoked, setRevoked] = useState<UserSession>();
  const change = useChange(SessionService.method.revokeSession, { onDone: () => setRevoked(undefined) });
  const columns: readonly Column<UserSession>[] = [
    { id: "user", title: "User", isHeader: true, cell: ({ user, current }) => <>{user} {current && <Chip tone="accent">this one</Chip>}</> },
    { id: "by", title: "Signed in by", cell: ({ provider, identity }) => <span className="break-all">{provider ? `${provider}: ${identity}` : identity || "API key"}</span> },
    { id: "from", title: "From", isSecondary: true, cell: ({ sourceAddress }) => <code className="font-mono text-label">{sourceAddress}</code> },
    { id: "start", title: "Started", align: "right", isSecondary: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { id: "seen", title: "Last seen", align: "right", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
    { id: "ends", title: "Ends", align: "right", isSecondary: true, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    { id: "revoke", title: "", align: "right", cell: (session) => <GuardedButton tone="quiet" reason={session.user === me?.user ? undefined : guard("session.revoke")} onPress={() => setRevoked(session)}>End…</GuardedButton> },
  ];
  return (
    <Loaded read={{ ...read, data: read.sessions }} what="list sessions">
      {(sessions) => {
        const shown = sessions.filter((session) => `${session.user} ${session.identity} ${session.sourceAddress}`.toLowerCase().includes(q.toLowerCase()));
        const own = sessions.filter((session) => session.user === me?.user);
        return (
          <>
            <Toolbar label="Filter sessions" count={plural(shown.length, "session")}>
              <SignOutEverywhere sessions={own} />
            </Toolbar>
            {shown.length > 0 ? (
              <Table label="Sessions" columns={columns} rows={shown} rowKey={(session) => session.sessionId} />
            ) : (
              <EmptyState title={q ? `No session matches ${q}` : "No session"}>Calls with an API key are no sessions.</EmptyState>
            )}
            <ConfirmDialog title={`End the session of ${revoked?.user ?? ""}`} isOpen={revoked !== undefined} onClose={() => setRevoked(undefined)} change={change} onConfirm={() => revoked && change.run({ sessionId: revoked.sessionId })} command={`causeway session revoke ${revoked?.sessionId ?? ""}`}>
              <p className="m-0">It ends now, with the streams that it opened. {revoked?.current && "This is the session of this page: you will be signed out."}</p>
            </ConfirmDialog>
          </>
        );
      }}
    </Loaded>
  );
}

/** Ends all own sessions, that of this page last. */
function SignOutEverywhere({ sessions }: { sessions: readonly UserSession[] }) {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [isPending, setPending] = useState(false);
  const end = async () => {
    setPending(true);
    const ordered = [...sessions].sort((a, b) => Number(a.current) - Number(b.current));
    let failed = 0;
    for (const { sessionId } of ordered) {
      await call(SessionService.method.revokeSession, { sessionId, requestId: newRequestId() }, { waitsForSession: false }).catch(() => failed++);
    }
    setPending(false);
    setOpen(false);
    invalidate(client, [SessionService]);
    notify(failed > 0 ? { state: "degraded", text: `${plural(failed, "session")} could not be ended.` } : { state: "healthy", text: `Ended ${plural(ordered.length, "session")}.` });
  };
  return (
    <>
      <Button isDisabled={sessions.length === 0} onPress={() => setOpen(true)}>Sign out everywhere…</Button>
      <AlertDialog title="Sign out everywhere?" isOpen={isOpen} onClose={() => setOpen(false)} confirm={`End ${plural(sessions.length, "session")}`} onConfirm={() => void end()} isDanger isPending={isPending}>
        All your sessions end, on all devices, this one last. API keys stay.
      </AlertDialog>
    </>
  );
}
