import { WorkflowActionService } from "@contract/causeway/proxy/v1/workflow_action_service_pb";
import { useState } from "react";
import { useAction, type ApplicationKey } from "@/data";
import { FailureBanner } from "@/failure";
import { Button, Dialog, TextField } from "@/ui";
import { actions } from "@/words";
import { parseParameters } from "./parameters";

export type RunAgain = "retry" | "resubmit";

interface RunAgainDialogProps {
  kind: RunAgain;
  target: ApplicationKey;
  onClose: () => void;
  onDone: () => void;
  /** Called with the name of the new workflow. */
  onCreated: (name: string) => void;
}

const methods = WorkflowActionService.method;
const explanations: Record<RunAgain, string> = {
  retry: "Retries the failed steps in this workflow. Successful steps are retained; the pods of retried steps are deleted.",
  resubmit: "Creates a new workflow with the spec of this one.",
};

/** Retries or resubmits a workflow, with parameters to change. */
export function RunAgainDialog({ kind, target, onClose, onDone, onCreated }: RunAgainDialogProps) {
  const { runtime, namespace, name } = target;
  const scope = `${runtime}/${namespace}/${name}`;
  const retry = useAction(methods.retryWorkflow, { scope, onAccepted: onDone });
  const resubmit = useAction(methods.resubmitWorkflow, {
    scope,
    onAccepted: ({ outcome }) => (onDone(), outcome && onCreated(outcome.name)),
  });
  const [text, setText] = useState("");
  const [restart, setRestart] = useState("");
  const { parameters, error } = parseParameters(text);
  const action = kind === "retry" ? retry : resubmit;
  const send = () => {
    const request = { runtime, namespace, name, parameters };
    void (kind === "retry" ? retry.run({ ...request, restartSuccessful: restart.trim() }) : resubmit.run(request));
  };
  const verb = actions[kind];
  return (
    <Dialog
      title={`${verb} ${name}`}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button tone="accent" onPress={send} isDisabled={action.isSending || error !== undefined}>{verb} {name}</Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-dim">{explanations[kind]}</p>
        <TextField label="Parameters to change" hint="One NAME=VALUE a line; empty to keep all." rows={4} mono value={text} onChange={setText} error={error} />
        {kind === "retry" && (
          <TextField label="Also retry successful steps" hint="For example displayName=build,phase=Succeeded; empty for none." mono value={restart} onChange={setRestart} error={action.problem?.fields["restart_successful"]} />
        )}
        {action.problem && <FailureBanner error={action.problem} what={`${kind} ${name}`} {...(action.state.kind === "unknown" ? { onRetry: () => void action.askAgain() } : {})} />}
      </div>
    </Dialog>
  );
}
