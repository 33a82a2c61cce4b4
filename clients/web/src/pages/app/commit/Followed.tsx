import type { CommitChangeResponse } from "@contract/causeway/git/v1/commit_service_pb";
import type { Provider } from "@contract/causeway/git/v1/integration_service_pb";
import { HealthStatus, SyncStatus, type Application } from "@contract/causeway/inventory/v1/application_pb";
import { ApplicationActionService, RefreshKind } from "@contract/causeway/proxy/v1/application_action_service_pb";
import { useEffect, useRef, type ReactNode } from "react";
import { useAction } from "@/data";
import { FailureBanner } from "@/failure";
import { Revision } from "@/format";
import { commitUrl } from "@/git/providers";
import { healthState, StateMark, StateShape, syncState } from "@/state";
import { CopyButton, ExternalLink, GuardedButton } from "@/ui";
import type { State } from "@/words";
import { useApp } from "../context";
import { useParam } from "../data/search";
import { scopeOf, withoutCluster } from "../model/names";
import { isRunning } from "../model/facts";

export interface FollowedProps {
  done: CommitChangeResponse;
  provider: Provider;
  repository: string;
  branch: string;
  /** Closes the dialog, for the one of the sync. */
  onClose: () => void;
}

/** The commit, and what Argo CD makes of it. */
export default function Followed({ done: { commit, repeatedRequest }, provider, repository, branch, onClose }: FollowedProps) {
  const { key, application } = useApp();
  const { refresh, reason } = useRefreshOnce(commit);
  const url = commitUrl(provider, repository, commit);
  const { isCompared, isSynced, isRunning: runs } = followed(application, commit);
  const health = application.status?.health?.status;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1" role="status">
        <StateShape state="healthy" />
        <span>Committed</span>
        {url ? <ExternalLink href={url}><Revision>{commit}</Revision></ExternalLink> : <Revision>{commit}</Revision>}
        <CopyButton text={commit} what="commit" />
        <span>to {branch} of <span className="break-all">{repository}</span>{repeatedRequest && ", by an earlier request"}.</span>
      </div>
      <ol className="m-0 flex list-none flex-col rounded-card border border-line p-0" aria-label="What follows">
        <Step state={isCompared ? "healthy" : "running"} text={isCompared ? "Argo CD has compared with it" : "Argo CD has not seen it yet"}>
          {!isCompared && <GuardedButton reason={reason} onPress={refresh.run} isDisabled={refresh.isSending}>Refresh</GuardedButton>}
        </Step>
        <Step state={isSynced ? "synced" : runs ? "running" : isCompared ? syncState(application.status?.sync?.status) : "waiting"} text={syncText(application, { isCompared, isSynced, runs })}>
          {isCompared && !isSynced && !runs && <SyncButton onOpen={onClose} />}
        </Step>
        <Step state={isSynced ? healthState(health) : "waiting"} text={isSynced ? (health === HealthStatus.HEALTHY ? `${key.name} is healthy` : `${key.name} is now `) : "Then its health is known"}>
          {isSynced && health !== HealthStatus.HEALTHY && <StateMark state={healthState(health)} />}
        </Step>
      </ol>
      {refresh.problem && <FailureBanner error={refresh.problem} what={`refresh ${key.name}`} onRetry={refresh.again} />}
    </div>
  );
}

function Step({ state, text, children }: { state: State; text: string; children?: ReactNode }) {
  return (
    <li className="flex min-h-10 flex-wrap items-center gap-3 border-b border-line px-3 py-1 last:border-b-0">
      <StateShape state={state} />
      <span className="min-w-0 grow">{text}</span>
      {children}
    </li>
  );
}

function SyncButton({ onOpen }: { onOpen: () => void }) {
  const { reason } = useApp();
  const [, setDialog] = useParam("dialog");
  const open = () => {
    onOpen();
    setDialog("sync");
  };
  return <GuardedButton tone="accent" reason={reason("application.sync")} onPress={open}>Sync…</GuardedButton>;
}

/** How far Argo CD is with a commit. */
export function followed(application: Application, commit: string) {
  const sync = application.status?.sync;
  const isCompared = sync?.revisions.includes(commit) ?? false;
  return { isCompared, isSynced: isCompared && sync?.status === SyncStatus.SYNCED, isRunning: isRunning(application) };
}

function syncText({ spec }: Application, { isCompared, isSynced, runs }: { isCompared: boolean; isSynced: boolean; runs: boolean }): string {
  if (isSynced) return "The cluster matches it";
  if (runs) return "A sync is running";
  if (!isCompared) return spec?.syncPolicy?.automated ? "Then it syncs by itself" : "Then it waits for a sync";
  return spec?.syncPolicy?.automated ? "It syncs by itself in a moment" : "Auto-sync is off: it waits for a sync";
}

/** Asks Argo CD to compare, once, so that nobody waits for its next look at the repository. */
function useRefreshOnce(commit: string) {
  const { key, reason } = useApp();
  const action = useAction(ApplicationActionService.method.refreshApplication, { scope: `${scopeOf(key)}/${commit}` });
  const refusal = reason("application.refresh");
  const run = () => void action.run({ ...withoutCluster(key), kind: RefreshKind.NORMAL });
  const begun = useRef(false);
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (begun.current || refusal) return;
    begun.current = true;
    latest.current();
  }, [refusal]);
  return { reason: refusal, refresh: { run, isSending: action.isSending, problem: action.problem, again: () => void action.askAgain() } };
}
