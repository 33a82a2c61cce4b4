import { ApplicationActionService, DeletionCascade } from "@contract/causeway/proxy/v1/application_action_service_pb";
import { useState } from "react";
import { useAction } from "@/data";
import { FailureBanner } from "@/failure";
import { plural } from "@/format";
import { notify } from "@/shell";
import { AlertDialog, RadioGroup, TextField } from "@/ui";
import { useApp } from "../context";
import { scopeOf, withoutCluster } from "../model/names";

const cascades = {
  foreground: { value: DeletionCascade.FOREGROUND, text: "Delete its resources, and wait for them" },
  background: { value: DeletionCascade.BACKGROUND, text: "Delete its resources in the background" },
  orphan: { value: DeletionCascade.ORPHAN, text: "Retain its resources" },
} as const;
type Cascade = keyof typeof cascades;

/** The question before an application is deleted; its name must be typed. */
export function DeleteDialog({ onClose }: { onClose: () => void }) {
  const { key, application, resources } = useApp();
  const [typed, setTyped] = useState("");
  const [cascade, setCascade] = useState<Cascade>("foreground");
  const action = useAction(ApplicationActionService.method.deleteApplication, { scope: scopeOf(key) });
  const confirm = async () => {
    const end = await action.run({ ...withoutCluster(key), uid: application.uid, cascade: cascades[cascade].value });
    if (end.kind !== "accepted") return;
    notify({ text: `${key.name} is deleting.`, state: "running" }, `delete:${scopeOf(key)}`);
    onClose();
  };
  const consequence = cascade === "orphan" ? "stay in the cluster, without an application." : "are deleted from the cluster.";
  return (
    <AlertDialog title={`Delete ${key.name}?`} isOpen onClose={onClose} isDanger confirm={`Delete ${key.name}`} onConfirm={() => void confirm()} isPending={action.isSending} isBlocked={typed !== key.name}>
      <div className="flex flex-col gap-4">
        <p>The application is deleted. Its {plural(resources.length, "resource")} {consequence}</p>
        <RadioGroup<Cascade> label="Resources" value={cascade} onChange={setCascade} choices={(Object.keys(cascades) as Cascade[]).map((each) => ({ key: each, text: cascades[each].text }))} />
        <TextField label={`Type ${key.name} to confirm`} value={typed} onChange={setTyped} autoFocus mono />
        {action.problem && <FailureBanner error={action.problem} what={`delete ${key.name}`} onRetry={() => void action.askAgain()} />}
      </div>
    </AlertDialog>
  );
}
