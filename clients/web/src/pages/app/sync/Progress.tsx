import { ApplicationActionService } from "@contract/causeway/proxy/v1/application_action_service_pb";
import type { Operation, OperationResource } from "@contract/causeway/inventory/v1/application_pb";
import { useAction } from "@/data";
import { FailureBanner } from "@/failure";
import { Elapsed, Name, plural } from "@/format";
import { healthState, phaseState, StateMark, StateShape } from "@/state";
import { GuardedButton } from "@/ui";
import type { State } from "@/words";
import { useApp } from "../context";
import { scopeOf, withoutCluster } from "../model/names";
import { resourceKey } from "../model/resource";
import { isEnded, operationOf } from "./plan";

/** The progress of an operation by wave and resource, until its end and after. */
export function Progress({ requestId }: { requestId: string }) {
  const { key, application } = useApp();
  const operation = operationOf(application, requestId);
  if (!operation) {
    return (
      <p className="flex items-center gap-2" role="status">
        <StateMark state="running">Accepted</StateMark> {key.runtime} has the request and reports its operation in a moment.
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <Head operation={operation} />
      <Waves operation={operation} />
      {isEnded(operation) && <Health />}
    </div>
  );
}

function Head({ operation }: { operation: Operation }) {
  const { key, reason } = useApp();
  const terminate = useAction(ApplicationActionService.method.terminateOperation, { scope: scopeOf(key) });
  const { word, state } = phaseState(operation.phase);
  const done = operation.resources.length;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3" role="status">
        <StateMark state={state}>{word}</StateMark>
        <span className="numbers text-dim"><Elapsed since={operation.startedAt} until={operation.finishedAt} /></span>
        <span className="numbers text-dim">{plural(done, "resource")} done{operation.retryCount > 0 && `, retry ${operation.retryCount}`}</span>
        <span className="grow" />
        {!isEnded(operation) && <GuardedButton tone="danger" reason={reason("application.terminate")} onPress={() => void terminate.run(withoutCluster(key))}>Terminate</GuardedButton>}
      </div>
      {operation.message && <p className={state === "degraded" ? "break-words text-bad" : "break-words text-dim"}>{operation.message}</p>}
      {terminate.problem && <FailureBanner error={terminate.problem} what="terminate the operation" onRetry={() => void terminate.askAgain()} />}
    </div>
  );
}

function Waves({ operation }: { operation: Operation }) {
  const { resources } = useApp();
  const waveOf = new Map(resources.map((each) => [resourceKey(each), each.syncWave]));
  const waves = new Map<number, OperationResource[]>();
  for (const each of operation.resources) {
    const wave = waveOf.get(resourceKey(each)) ?? 0;
    waves.set(wave, [...(waves.get(wave) ?? []), each]);
  }
  return (
    <div className="flex flex-col gap-2">
      {[...waves].sort(([a], [b]) => a - b).map(([wave, members]) => (
        <section key={wave} aria-label={`Wave ${wave}`}>
          {waves.size > 1 && <h3 className="numbers text-label font-semibold text-dim">Wave {wave}</h3>}
          <ul className="rounded-card border border-line">
            {members.map((each) => (
              <li key={resourceKey(each)} className="flex min-h-8 items-center gap-2 border-b border-line px-3 last:border-b-0">
                <StateShape state={outcomeState(each.status)} />
                <span className="w-32 shrink-0 truncate text-dim">{each.kind}</span>
                <span className="min-w-0"><Name>{each.name}</Name></span>
                <span className="grow" />
                <span className="max-w-[55%] truncate text-label text-dim" title={each.message}>{each.message || each.status}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** Maps a result as Argo CD names it to the state whose shape it has. */
function outcomeState(status: string): State {
  if (/fail|error/i.test(status)) return "degraded";
  if (/skipped/i.test(status)) return "suspended";
  if (/pruned/i.test(status)) return "missing";
  return /synced|succeeded/i.test(status) ? "synced" : "running";
}

/** A sync that has ended is not yet a healthy application. */
function Health() {
  const { application } = useApp();
  const health = application.status?.health;
  return (
    <p className="flex items-center gap-2 border-t border-line pt-3">
      The application is now <StateMark state={healthState(health?.status)} />
      {health?.message && <span className="min-w-0 truncate text-dim">{health.message}</span>}
    </p>
  );
}
