import { ApplicationActionService } from "@contract/causeway/proxy/v1/application_action_service_pb";
import { useEffect, useMemo, useRef, useState } from "react";
import { useAction } from "@/data";
import { FailureBanner } from "@/failure";
import { plural } from "@/format";
import { Banner, Button, Checkbox, Command, Dialog, Disclosure, TextField } from "@/ui";
import { useApp } from "../context";
import { scopeOf } from "../model/names";
import { argoOptions, commandOf, noOptions, requestOf, type SyncOptions } from "./options";
import { PlanList } from "./PlanList";
import { buttonText, extentOf, operationOf, planOf } from "./plan";
import { Progress } from "./Progress";

const { syncApplication } = ApplicationActionService.method;

/** What a sync will change, its options, and then its progress in the same place. */
export function SyncDialog({ onClose }: { onClose: () => void }) {
  const { key, application, resources, reason } = useApp();
  const plan = useMemo(() => planOf(resources), [resources]);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [options, setOptions] = useState<SyncOptions>({ ...noOptions, prune: application.spec?.syncPolicy?.prune ?? false });
  const chosen = new Set(plan.map((each) => each.key).filter((each) => !left.has(each)));
  const sync = useAction(syncApplication, { scope: scopeOf(key) });
  const dryRun = useDryRun(() => requestOf(key, options, plan, chosen, true));
  const extent = extentOf(plan, chosen, options.prune);
  const refusal = reason("application.sync");
  const isStarted = sync.state.kind === "accepted";
  const deletions = plan.filter(({ isPruned, key }) => isPruned && chosen.has(key));

  const foot = isStarted ? (
    <Button tone="accent" onPress={onClose}>Close</Button>
  ) : (
    <>
      <Button onPress={() => dryRun.run()} isDisabled={dryRun.isSending || Boolean(refusal)}>Dry run again</Button>
      <Button onPress={onClose}>Cancel</Button>
      <Button
        tone={extent.deleted > 0 && extent.synced === 0 ? "danger" : "accent"}
        isDisabled={Boolean(refusal) || sync.isSending || extent.synced + extent.deleted === 0}
        onPress={() => void sync.run(requestOf(key, options, plan, chosen, false))}
      >
        {buttonText(extent)}
      </Button>
    </>
  );
  return (
    <Dialog title={`Sync ${key.name}`} isOpen onClose={onClose} size="large" actions={foot}>
      {isStarted ? (
        <Progress requestId={sync.state.kind === "accepted" ? sync.state.requestId : ""} />
      ) : (
        <div className="flex flex-col gap-4">
          {refusal && <Banner tone="warn">{refusal}</Banner>}
          {sync.problem && <FailureBanner error={sync.problem} what={`sync ${key.name}`} onRetry={() => void sync.askAgain()} />}
          {sync.state.kind === "unknown" && !sync.problem && (
            <Banner tone="warn" actions={<Button onPress={() => void sync.askAgain()}>Ask again</Button>}>A sync was begun here before, and its outcome is not known. To ask again has no second effect.</Banner>
          )}
          {dryRun.problem && <FailureBanner error={dryRun.problem} what="make the dry run" onRetry={() => dryRun.run()} />}
          <PlanList plan={plan} left={left} onLeft={setLeft} prune={options.prune} dryRun={operationOf(application, dryRun.requestId)} isRunning={dryRun.requestId !== "" && !dryRun.problem} />
          {left.size > 0 && <p className="text-label text-dim">A sync of some resources runs no hooks and makes no entry in the history.</p>}
          <Options options={options} onChange={setOptions} prunable={plan.filter(({ isPruned }) => isPruned).length} />
          {options.prune && deletions.length > 0 && (
            <Banner tone="bad">
              Deletes {plural(deletions.length, "resource")}: {deletions.slice(0, 10).map(({ resource }) => `${resource.kind} ${resource.name}`).join(", ")}
              {deletions.length > 10 && ` and ${deletions.length - 10} more`}
            </Banner>
          )}
          <Command>{commandOf(key, options, plan, chosen)}</Command>
        </div>
      )}
    </Dialog>
  );
}

/** Makes a dry run when the dialog opens, and again on request. */
function useDryRun(request: () => Parameters<ReturnType<typeof useAction<typeof syncApplication.input, typeof syncApplication.output>>["run"]>[0]) {
  const { key, reason } = useApp();
  const action = useAction(syncApplication, { scope: `${scopeOf(key)}/dry-run` });
  const isBegun = useRef(false);
  const run = () => void action.run(request());
  const latest = useRef(run);
  latest.current = run;
  const isAllowed = reason("application.sync") === undefined;
  useEffect(() => {
    if (isBegun.current || !isAllowed) return;
    isBegun.current = true;
    latest.current();
  }, [isAllowed]);
  return { run, isSending: action.isSending, problem: action.problem, requestId: "requestId" in action.state ? action.state.requestId : "" };
}

interface OptionsProps {
  options: SyncOptions;
  onChange: (options: SyncOptions) => void;
  prunable: number;
}

function Options({ options, onChange, prunable }: OptionsProps) {
  const set = (change: Partial<SyncOptions>) => onChange({ ...options, ...change });
  const toggle = (value: string, isSelected: boolean) => {
    const argo = new Set(options.argo);
    if (isSelected) argo.add(value);
    else argo.delete(value);
    set({ argo });
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
        <TextField label="Revision" placeholder="the application's own" value={options.revision} onChange={(revision) => set({ revision })} mono className="w-64" />
        <Checkbox isSelected={options.prune} onChange={(prune) => set({ prune })}>Prune{prunable > 0 ? ` (${prunable} not in Git)` : ""}</Checkbox>
      </div>
      <Disclosure title="Options">
        <div className="grid grid-cols-2 gap-x-6 gap-y-1 pt-1 max-wide:grid-cols-1">
          <Checkbox isSelected={options.force} onChange={(force) => set({ force })}>Force: delete and recreate</Checkbox>
          <Checkbox isSelected={options.applyOnly} onChange={(applyOnly) => set({ applyOnly })}>Apply only, without hooks</Checkbox>
          {argoOptions.map(({ value, text }) => <Checkbox key={value} isSelected={options.argo.has(value)} onChange={(isSelected) => toggle(value, isSelected)}>{text}</Checkbox>)}
          <TextField label="Retries" value={String(options.retries)} onChange={(text) => set({ retries: Math.max(0, Math.min(100, Number.parseInt(text, 10) || 0)) })} inputMode="numeric" className="w-24" />
        </div>
      </Disclosure>
    </div>
  );
}
