import { useState } from "react";
import type { DescMessage } from "@bufbuild/protobuf";
import { progressOf, useBatch, useCan, useRows, type Batch, type Outcome, type Row } from "@/data";
import { plural } from "@/format";
import { healthState, StateMark, StateShape, syncState } from "@/state";
import { Button, Checkbox, Command, Dialog, ProgressBar } from "@/ui";
import type { State } from "@/words";
import { batchTitle, permissionOf, refreshMethod, refreshTargets, syncMethod, syncTargets, type BatchKind } from "./batchKinds";

export interface BatchDialogProps {
  kind: BatchKind;
  rows: readonly Row[];
  onClose: () => void;
}

/** The plan of a batch first; after its start, what becomes of each application, in the same place. */
export function BatchDialog({ kind, rows, onClose }: BatchDialogProps) {
  const [options, setOptions] = useState({ prune: false, dryRun: false });
  const sync = useBatch(syncMethod);
  const refresh = useBatch(refreshMethod);
  const batch = kind === "sync" ? sync : refresh;
  const { allowed, refused } = useAllowed(kind, rows);
  const start = () => void (kind === "sync" ? sync.run(syncTargets(allowed, options)) : refresh.run(refreshTargets(allowed, kind)));
  const isStarted = batch.outcomes.length > 0;
  const live = useRows(kind === "sync" ? batch.outcomes.map(({ key }) => key) : []);
  const failedLater = batch.outcomes.filter(({ state, key, requestId }) => state === "accepted" && progressOf(live?.get(key), requestId) === "failed").map(({ key }) => key);
  const failed = failedLater.length + batch.outcomes.filter(({ state }) => state === "refused" || state === "unknown" || state === "cancelled").length;
  const verb = kind === "sync" && options.dryRun ? "Dry run for" : batchTitle[kind];
  return (
    <Dialog
      title={`${batchTitle[kind]} ${plural(isStarted ? batch.outcomes.length : rows.length, "application")}`}
      isOpen
      onClose={onClose}
      actions={
        isStarted ? (
          <>
            {batch.isRunning && <Button onPress={batch.cancel}>Send no more</Button>}
            {!batch.isRunning && failed > 0 && <Button onPress={() => void batch.retryFailed(failedLater)}>Retry {plural(failed, "failed one")}</Button>}
            <Button tone="accent" onPress={onClose}>Close</Button>
          </>
        ) : (
          <>
            <Button onPress={onClose}>Cancel</Button>
            <Button tone="accent" isDisabled={allowed.length === 0} onPress={start}>{verb} {plural(allowed.length, "application")}</Button>
          </>
        )
      }
    >
      {isStarted ? (
        <Outcomes batch={batch} rows={rows} live={live} followsOperation={kind === "sync"} />
      ) : (
        <Plan kind={kind} rows={allowed} refused={refused} options={options} onOptions={setOptions} />
      )}
    </Dialog>
  );
}

interface Refused {
  row: Row;
  reason: string;
  command: string;
}

/** Splits the applications into those that the caller may act on and the others with the reason. */
function useAllowed(kind: BatchKind, rows: readonly Row[]): { allowed: Row[]; refused: Refused[] } {
  const permission = permissionOf[kind];
  const targets = rows.map(({ runtime, cluster, project, namespace, name, labels }) => ({ runtime, cluster, project, namespace, name, labels: { ...labels } }));
  const can = useCan([permission], targets);
  const refused = rows.flatMap((row, index): Refused[] => {
    const decision = can(permission, index);
    return decision.allowed === false ? [{ row, reason: decision.reason, command: decision.command }] : [];
  });
  return { allowed: rows.filter((row) => !refused.some((each) => each.row === row)), refused };
}

interface PlanProps {
  kind: BatchKind;
  rows: readonly Row[];
  refused: readonly Refused[];
  options: { prune: boolean; dryRun: boolean };
  onOptions: (options: { prune: boolean; dryRun: boolean }) => void;
}

function Plan({ kind, rows, refused, options, onOptions }: PlanProps) {
  const [first] = refused;
  return (
    <div className="flex flex-col gap-4">
      {kind === "sync" && (
        <div className="flex flex-col gap-1">
          <Checkbox isSelected={options.dryRun} onChange={(dryRun) => onOptions({ ...options, dryRun })}>Dry run: change nothing, tell what would change</Checkbox>
          <Checkbox isSelected={options.prune} onChange={(prune) => onOptions({ ...options, prune })}>Prune: delete resources that are no longer in Git</Checkbox>
        </div>
      )}
      {kind === "hardRefresh" && <p className="text-dim">Argo CD renders the manifests again, without its cache.</p>}
      <RowList label="Applications" rows={rows} />
      {first && (
        <div className="flex flex-col gap-2">
          <p className="flex items-center gap-2"><StateShape state="refused" /> {plural(refused.length, "application")} left out: {first.reason}</p>
          <Command>{first.command}</Command>
        </div>
      )}
    </div>
  );
}

function RowList({ label, rows }: { label: string; rows: readonly Row[] }) {
  return (
    <ul aria-label={label} className="max-h-72 overflow-y-auto rounded-card border border-line" tabIndex={0}>
      {rows.map((row) => (
        <li key={row.key} className="flex items-center gap-3 border-b border-line px-3 py-1 last:border-b-0">
          <span className="min-w-0 grow truncate"><span className="font-medium">{row.name}</span> <span className="text-dim">{row.runtime} / {row.namespace}</span></span>
          <span className="shrink-0 max-wide:hidden"><StateMark state={healthState(row.health)} /></span>
          <span className="w-24 shrink-0"><StateMark state={syncState(row.sync)} /></span>
        </li>
      ))}
    </ul>
  );
}

interface OutcomesProps {
  batch: Pick<Batch<DescMessage>, "outcomes" | "isRunning">;
  rows: readonly Row[];
  /** The applications as they are now. */
  live: ReadonlyMap<string, Row> | undefined;
  /** The operation of each goes on after it was accepted. */
  followsOperation: boolean;
}

function Outcomes({ batch, rows, live, followsOperation }: OutcomesProps) {
  const names = new Map(rows.map((row) => [row.key, row]));
  const shown = batch.outcomes.map((outcome) => ({ outcome, row: names.get(outcome.key), now: standing(outcome, live?.get(outcome.key), followsOperation) }));
  const ended = shown.filter(({ now }) => now.isEnd).length;
  return (
    <div className="flex flex-col gap-3">
      <ProgressBar label="Progress" text={`${ended} of ${shown.length} done`} percent={(100 * ended) / Math.max(1, shown.length)} />
      <ul aria-label="Outcomes" className="max-h-96 overflow-y-auto rounded-card border border-line" tabIndex={0}>
        {shown.map(({ outcome, row, now }) => (
          <li key={outcome.key} className="flex flex-col gap-0.5 border-b border-line px-3 py-1 last:border-b-0">
            <span className="flex items-center gap-3">
              <span className="min-w-0 grow truncate"><span className="font-medium">{row?.name}</span> <span className="text-dim">{row?.runtime} / {row?.namespace}</span></span>
              <span className="shrink-0"><StateMark state={now.state}>{now.word}</StateMark></span>
            </span>
            {now.message && <span className="text-label break-words text-dim">{now.message}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Standing {
  state: State;
  word: string;
  message: string;
  isEnd: boolean;
}

/** Returns how one application of the batch stands: its call, and then its operation. */
function standing(outcome: Outcome<DescMessage>, row: Row | undefined, followsOperation: boolean): Standing {
  const message = outcome.problem?.message ?? "";
  switch (outcome.state) {
    case "waiting":
      return { state: "waiting", word: "Waiting", message, isEnd: false };
    case "sending":
      return { state: "running", word: "Sending", message, isEnd: false };
    case "cancelled":
      return { state: "suspended", word: "Not sent", message, isEnd: true };
    case "refused":
      return { state: "refused", word: "Refused", message, isEnd: true };
    case "unknown":
      return { state: "unknown", word: "It may have happened", message, isEnd: true };
    case "accepted":
      return followsOperation ? operationStanding(row, outcome.requestId) : { state: "healthy", word: "Accepted", message: "", isEnd: true };
  }
}

function operationStanding(row: Row | undefined, requestId: string): Standing {
  const message = row?.operation?.requestId === requestId ? row.operation.message : "";
  switch (progressOf(row, requestId)) {
    case "waiting":
      return { state: "running", word: "Accepted", message: "", isEnd: false };
    case "running":
      return { state: "running", word: "Running", message, isEnd: false };
    case "succeeded":
      return { state: "healthy", word: "Succeeded", message, isEnd: true };
    case "failed":
      return { state: "degraded", word: "Failed", message, isEnd: true };
  }
}
