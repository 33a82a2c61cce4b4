import type { Resource } from "@contract/causeway/inventory/v1/application_pb";
import { Cascade, Deletion, ResourceActionService } from "@contract/causeway/proxy/v1/resource_action_service_pb";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { useAction, useRead } from "@/data";
import { FailureBanner } from "@/failure";
import { notify } from "@/shell";
import { AlertDialog, Checkbox, IconButton, Menu, MenuItem, MenuLine, TextField } from "@/ui";
import { useApp } from "../context";
import { resourceKey } from "../model/resource";

const methods = ResourceActionService.method;

/** The actions that Argo CD offers for a resource, and its deletion. */
export function ResourceActions({ resource }: { resource: Resource }) {
  const { key, reason } = useApp();
  const [question, setQuestion] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const target = { runtime: key.runtime, group: resource.group, kind: resource.kind, namespace: resource.namespace, name: resource.name };
  const listed = useRead(methods.listResourceActions, target, { enabled: isOpen && reason("resource.get") === undefined });
  const available = listed.data?.actions ?? [];
  const run = reason("resource.action");
  const command = `causeway resource get ${resource.kind.toLowerCase()}/${resource.name} --namespace ${resource.namespace}`;
  return (
    <>
      <Menu label={`Actions of ${resource.name}`} isOpen={isOpen} onOpenChange={setOpen} trigger={<IconButton label={`Actions of ${resource.name}`}><Ellipsis size={16} aria-hidden /></IconButton>}>
        {available.map(({ name, displayName, disabled }) => (
          <MenuItem key={name} id={`run:${name}`} reason={run ?? (disabled ? "Not in its present state" : undefined)} onAction={() => setQuestion(name)}>
            {`${displayName || name}…`}
          </MenuItem>
        ))}
        {listed.isLoading && <MenuItem id="loading" reason="Reading what Argo CD offers">Actions</MenuItem>}
        {listed.data && available.length === 0 && <MenuItem id="none" reason="Argo CD offers none for this kind">Actions</MenuItem>}
        {listed.error && <MenuItem id="failed" reason={listed.error.message}>Actions</MenuItem>}
        <MenuLine />
        <MenuItem id="copy" onAction={() => void navigator.clipboard?.writeText(command)}>Copy CLI command</MenuItem>
        <MenuItem id="delete" isDanger reason={reason("resource.delete") ?? (resource.uid ? undefined : "It is not in the cluster.")} onAction={() => setQuestion("delete")}>Delete…</MenuItem>
      </Menu>
      {question === "delete" && <DeleteQuestion resource={resource} onClose={() => setQuestion(undefined)} />}
      {question && question !== "delete" && <RunQuestion resource={resource} action={question} onClose={() => setQuestion(undefined)} />}
    </>
  );
}

interface QuestionProps {
  resource: Resource;
  onClose: () => void;
}

function RunQuestion({ resource, action, onClose }: QuestionProps & { action: string }) {
  const { key } = useApp();
  const { group, kind, namespace, name } = resource;
  const [text, setText] = useState("");
  const parameters = parametersOf(text);
  const request = useAction(methods.runResourceAction, { scope: `${key.runtime}/${resourceKey(resource)}/${action}` });
  const confirm = async () => {
    const end = await request.run({ runtime: key.runtime, group, kind, namespace, name, action, parameters: parameters ?? {} });
    if (end.kind !== "accepted") return;
    notify({ text: `Ran ${action} on ${kind} ${name}.`, state: "healthy" });
    onClose();
  };
  return (
    <AlertDialog title={`Run ${action}?`} isOpen onClose={onClose} confirm={`Run ${action}`} onConfirm={() => void confirm()} isPending={request.isSending} isBlocked={!parameters}>
      <div className="flex flex-col gap-3">
        <p>Argo CD runs <strong>{action}</strong> on {kind} {name} in {namespace}.</p>
        <TextField label="Parameters" placeholder="replicas=3" hint="NAME=VALUE, separated by spaces; most actions have none" value={text} onChange={setText} error={parameters ? undefined : "Write each parameter as NAME=VALUE"} mono />
      </div>
      {request.problem && <FailureBanner error={request.problem} what={`run ${action}`} onRetry={() => void request.askAgain()} />}
    </AlertDialog>
  );
}

/** Reads NAME=VALUE words; undefined where one is none. */
function parametersOf(text: string): Record<string, string> | undefined {
  const words = text.split(/\s+/).filter(Boolean).map((word) => /^([^=]+)=(.*)$/.exec(word));
  if (words.some((match) => match === null)) return undefined;
  return Object.fromEntries(words.map((match) => [match?.[1] ?? "", match?.[2] ?? ""]));
}

function DeleteQuestion({ resource, onClose }: QuestionProps) {
  const { key } = useApp();
  const [force, setForce] = useState(false);
  const [orphan, setOrphan] = useState(false);
  const { group, kind, namespace, name, uid } = resource;
  const request = useAction(methods.deleteResource, { scope: `${key.runtime}/${resourceKey(resource)}/delete` });
  const confirm = async () => {
    const end = await request.run({ runtime: key.runtime, group, kind, namespace, name, uid, force, cascade: orphan ? Cascade.ORPHAN : Cascade.BACKGROUND });
    if (end.kind !== "accepted") return;
    notify({ text: end.response.deletion === Deletion.PENDING ? `${kind} ${name} is deleting.` : `${kind} ${name} was deleted.`, state: "healthy" });
    onClose();
  };
  return (
    <AlertDialog title={`Delete ${kind} ${name}?`} isOpen onClose={onClose} isDanger confirm={`Delete ${name}`} onConfirm={() => void confirm()} isPending={request.isSending}>
      <div className="flex flex-col gap-3">
        <p>It is deleted from the cluster.{resource.desiredDigest.length > 0 ? " Git has it, so the next sync creates it again." : ""}</p>
        <Checkbox isSelected={orphan} onChange={setOrphan}>Retain what it owns</Checkbox>
        <Checkbox isSelected={force} onChange={setForce}>Skip the grace period</Checkbox>
        {request.problem && <FailureBanner error={request.problem} what={`delete ${name}`} onRetry={() => void request.askAgain()} />}
      </div>
    </AlertDialog>
  );
}
