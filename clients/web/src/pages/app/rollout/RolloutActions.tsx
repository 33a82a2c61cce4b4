import type { Rollout } from "@contract/causeway/inventory/v1/resource_pb";
import type { LiveResource } from "@contract/causeway/inventory/v1/resource_service_pb";
import { RolloutActionService } from "@contract/causeway/proxy/v1/rollout_action_service_pb";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { useAction } from "@/data";
import { FailureBanner } from "@/failure";
import { notify } from "@/shell";
import { AlertDialog, GuardedButton, IconButton, Menu, MenuItem } from "@/ui";
import { actions } from "@/words";
import { useApp } from "../context";

const methods = RolloutActionService.method;

/** Promote, pause, abort and the other actions of a rollout, each with the reason where it cannot be done. */
export function RolloutActions({ resource, rollout }: { resource: LiveResource; rollout: Rollout }) {
  const { key, reason } = useApp();
  const [question, setQuestion] = useState<"promoteFull" | "abort" | "undo">();
  const target = { runtime: key.runtime, namespace: resource.namespace, name: resource.name };
  const scope = `${key.runtime}/${resource.namespace}/${resource.name}`;
  const tell = (verb: string, note: string | undefined) => notify({ text: `${verb}: ${resource.name}. ${note ?? ""}`, state: "healthy" });
  const promote = useAction(methods.promoteRollout, { scope, onAccepted: ({ outcome }) => tell("Promoted", outcome?.note) });
  const pause = useAction(methods.pauseRollout, { scope, onAccepted: ({ outcome }) => tell("Paused", outcome?.note) });
  const resume = useAction(methods.resumeRollout, { scope, onAccepted: ({ outcome }) => tell("Resumed", outcome?.note) });
  const abort = useAction(methods.abortRollout, { scope, onAccepted: ({ outcome }) => tell("Aborted", outcome?.note) });
  const retry = useAction(methods.retryRollout, { scope, onAccepted: ({ outcome }) => tell("Retried", outcome?.note) });
  const restart = useAction(methods.restartRollout, { scope, onAccepted: ({ outcome }) => tell("Restarted", outcome?.note) });
  const undo = useAction(methods.undoRollout, { scope, onAccepted: ({ outcome }) => tell("Returned to the revision before", outcome?.note) });

  const isDone = rollout.currentStep !== undefined && rollout.currentStep >= rollout.stepCount && !rollout.pause;
  const isPaused = rollout.pause !== undefined;
  const notUpdating = isDone && !rollout.aborted ? "No update is in progress." : undefined;
  const failed = [promote, pause, resume, abort, retry, restart, undo].find(({ problem }) => problem);
  const ask = {
    promoteFull: { title: `Promote ${resource.name} in full?`, text: "Skips all remaining steps, pauses and analyses: all traffic goes to the new revision.", run: () => promote.run({ ...target, full: true }) },
    abort: { title: `Abort the update of ${resource.name}?`, text: "All traffic returns to the stable revision.", run: () => abort.run(target) },
    undo: { title: `Return ${resource.name} to the revision before?`, text: "The rollout takes the template of the revision before; Git then differs.", run: () => undo.run({ ...target, revision: 0n }) },
  };
  const asked = question && ask[question];
  return (
    <>
      <GuardedButton tone="accent" reason={reason("rollout.promote") ?? notUpdating} onPress={() => void promote.run(target)}>{actions.promote}</GuardedButton>
      {isPaused ? (
        <GuardedButton reason={reason("rollout.resume")} onPress={() => void resume.run(target)}>{actions.resume}</GuardedButton>
      ) : (
        <GuardedButton reason={reason("rollout.pause")} onPress={() => void pause.run(target)}>{actions.pause}</GuardedButton>
      )}
      {rollout.aborted ? (
        <GuardedButton reason={reason("rollout.retry")} onPress={() => void retry.run(target)}>{actions.retry}</GuardedButton>
      ) : (
        <GuardedButton tone="danger" reason={reason("rollout.abort") ?? notUpdating} onPress={() => setQuestion("abort")}>{actions.abort}</GuardedButton>
      )}
      <Menu label={`Actions of ${resource.name}`} trigger={<IconButton label={`More actions of ${resource.name}`} tone="plain"><Ellipsis size={16} aria-hidden /></IconButton>}>
        <MenuItem id="full" reason={reason("rollout.promote") ?? notUpdating} onAction={() => setQuestion("promoteFull")}>{`${actions.promoteFull}…`}</MenuItem>
        <MenuItem id="restart" reason={reason("rollout.restart")} onAction={() => void restart.run(target)}>{actions.restart}</MenuItem>
        <MenuItem id="undo" isDanger reason={reason("rollout.undo")} onAction={() => setQuestion("undo")}>Undo…</MenuItem>
      </Menu>
      {failed && <div className="w-full"><FailureBanner error={failed.problem} what={`change ${resource.name}`} onRetry={() => void failed.askAgain()} /></div>}
      {asked && (
        <AlertDialog title={asked.title} isOpen onClose={() => setQuestion(undefined)} confirm={actions[question === "abort" ? "abort" : question === "undo" ? "rollback" : "promoteFull"]} isDanger={question !== "promoteFull"} onConfirm={() => (void asked.run(), setQuestion(undefined))}>
          {asked.text}
        </AlertDialog>
      )}
    </>
  );
}
