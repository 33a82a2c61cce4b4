import { WorkflowActionService } from "@contract/causeway/proxy/v1/workflow_action_service_pb";
import type { DescMessage, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAction, useCan, type ApplicationKey, type Decision } from "@/data";
import { hasEnded } from "@/pages/workflows/phases";
import { notify, useCommands } from "@/shell";
import { AlertDialog, GuardedButton } from "@/ui";
import { actions } from "@/words";
import { RunAgainDialog, type RunAgain } from "./RunAgainDialog";

const methods = WorkflowActionService.method;

interface WorkflowActionsProps {
  target: ApplicationKey;
  phase: string;
  onDone: () => void;
}

type Dialog = "none" | "stop" | "terminate" | RunAgain;

/** The actions of a workflow; those that may not be done tell why. */
export function WorkflowActions({ target, phase, onDone }: WorkflowActionsProps) {
  const [dialog, setDialog] = useState<Dialog>("none");
  const close = () => setDialog("none");
  const done = { target, onDone: () => (close(), onDone()) };
  const suspend = useSimple(methods.suspendWorkflow, actions.suspend, done);
  const resume = useSimple(methods.resumeWorkflow, actions.resume, done);
  const stop = useSimple(methods.stopWorkflow, actions.stop, done);
  const terminate = useSimple(methods.terminateWorkflow, actions.terminate, done);
  const can = useReasons(target);
  const openWorkflow = useOpen(target);
  const running = hasEnded(phase)
    ? []
    : [
        { id: "suspend", text: actions.suspend, run: suspend.run },
        { id: "resume", text: actions.resume, run: resume.run },
        { id: "stop", text: `${actions.stop}…`, run: () => setDialog("stop") },
        { id: "terminate", text: `${actions.terminate}…`, run: () => setDialog("terminate") },
      ];
  const ended = hasEnded(phase) && phase !== "Succeeded" ? [{ id: "retry", text: `${actions.retry}…`, run: () => setDialog("retry") }] : [];
  const always = [{ id: "resubmit", text: `${actions.resubmit}…`, run: () => setDialog("resubmit") }];
  const offered = [...running, ...ended, ...always].map((action) => ({ ...action, reason: can(action.id) }));
  useCommands(offered.map(({ id, text, run, reason }) => ({ id, text: `${text.replace("…", "")} ${target.name}`, run, reason })));
  return (
    <div className="flex flex-wrap gap-2">
      {offered.map(({ id, text, run, reason }) => <GuardedButton key={id} reason={reason} onPress={run}>{text}</GuardedButton>)}
      <Confirm verb={actions.stop} isOpen={dialog === "stop"} name={target.name} action={stop} onClose={close}>
        Running pods end, and the exit handler runs.
      </Confirm>
      <Confirm verb={actions.terminate} isOpen={dialog === "terminate"} name={target.name} action={terminate} onClose={close}>
        Running pods end. The exit handler does not run.
      </Confirm>
      {(dialog === "retry" || dialog === "resubmit") && <RunAgainDialog kind={dialog} target={target} onClose={close} onDone={done.onDone} onCreated={openWorkflow} />}
    </div>
  );
}

interface SimpleAction {
  run: () => void;
  isSending: boolean;
}

type SimpleMethod = DescMethodUnary<DescMessage, DescMessage>;

/** An action without a form; its end is told by a toast. */
function useSimple(method: unknown, verb: string, { target, onDone }: Pick<WorkflowActionsProps, "target" | "onDone">): SimpleAction {
  const { runtime, namespace, name } = target;
  const action = useAction(method as SimpleMethod, { scope: `${runtime}/${namespace}/${name}`, onAccepted: onDone });
  const run = async () => {
    const end = await action.run({ runtime, namespace, name } as MessageInitShape<DescMessage>);
    if (end.kind === "accepted") notify({ state: "healthy", text: `${verb} ${name}: done` });
    if (end.kind === "refused") notify({ state: "degraded", text: `Cannot ${verb.toLowerCase()} ${name}: ${end.problem.message}` });
    if (end.kind === "unknown") notify({ state: "waiting", text: `${verb} ${name}: it may have happened. Open the menu again to ask with the same request.` });
  };
  return { run: () => void run(), isSending: action.isSending };
}

interface ConfirmProps {
  verb: string;
  name: string;
  isOpen: boolean;
  action: SimpleAction;
  onClose: () => void;
  children: string;
}

function Confirm({ verb, name, isOpen, action, onClose, children }: ConfirmProps) {
  return (
    <AlertDialog title={`${verb} ${name}?`} isOpen={isOpen} onClose={onClose} confirm={`${verb} ${name}`} onConfirm={action.run} isDanger isPending={action.isSending}>
      {children}
    </AlertDialog>
  );
}

const verbs = ["suspend", "resume", "stop", "terminate", "retry", "resubmit"];

/** Returns why an action may not be done; undefined where it may or that is not known. */
function useReasons(target: ApplicationKey): (verb: string) => string | undefined {
  const can = useCan(verbs.map((verb) => `workflow.${verb}`), [target]);
  return (verb) => reasonOf(can(`workflow.${verb}`));
}

function reasonOf(decision: Decision): string | undefined {
  return decision.allowed === false ? `${decision.reason} (${decision.permission}: ${decision.command})` : undefined;
}

function useOpen({ runtime, cluster, namespace }: ApplicationKey): (name: string) => void {
  const navigate = useNavigate();
  return (name) => void navigate({ to: "/workflows/$runtime/$cluster/$namespace/$name", params: { runtime, cluster, namespace, name } });
}
