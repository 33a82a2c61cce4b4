import type { Deployment } from "@contract/causeway/inventory/v1/application_pb";
import { ApplicationActionService } from "@contract/causeway/proxy/v1/application_action_service_pb";
import { useState } from "react";
import { useAction } from "@/data";
import { FailureBanner } from "@/failure";
import { plainLine, Revision, Time } from "@/format";
import { Button, Checkbox, Command, Dialog } from "@/ui";
import { useApp } from "../context";
import { scopeOf, withoutCluster } from "../model/names";
import { operationOf } from "../sync/plan";
import { PlanList } from "../sync/PlanList";
import { planOf } from "../sync/plan";
import { Progress } from "../sync/Progress";

const { rollbackApplication } = ApplicationActionService.method;
const nothingLeft: ReadonlySet<string> = new Set();

/** The question before a rollback, with a dry run on request, and then its progress. */
export function RollbackDialog({ deployment, onClose }: { deployment: Deployment; onClose: () => void }) {
  const { key, application, resources } = useApp();
  const [prune, setPrune] = useState(false);
  const rollback = useAction(rollbackApplication, { scope: scopeOf(key) });
  const dryRun = useAction(rollbackApplication, { scope: `${scopeOf(key)}/dry-run` });
  const request = { ...withoutCluster(key), historyId: deployment.id, prune };
  const isStarted = rollback.state.kind === "accepted";
  const dryRunId = "requestId" in dryRun.state ? dryRun.state.requestId : "";
  const foot = isStarted ? (
    <Button tone="accent" onPress={onClose}>Close</Button>
  ) : (
    <>
      <Button onPress={() => void dryRun.run({ ...request, dryRun: true })} isDisabled={dryRun.isSending}>Dry run</Button>
      <Button onPress={onClose}>Cancel</Button>
      <Button tone="danger" onPress={() => void rollback.run(request)} isDisabled={rollback.isSending}>Roll back to {deployment.id.toString()}</Button>
    </>
  );
  return (
    <Dialog title={`Roll back ${key.name}`} isOpen onClose={onClose} size="large" actions={foot}>
      {isStarted ? (
        <Progress requestId={rollback.state.kind === "accepted" ? rollback.state.requestId : ""} />
      ) : (
        <div className="flex flex-col gap-4">
          <p>
            Returns {key.name} to deployment {deployment.id.toString()} of <Time at={deployment.deployedAt} />: <Revision>{deployment.revisions[0] ?? ""}</Revision> {plainLine(deployment.commit?.message ?? "")}. Git is not changed, so the application is then OutOfSync.
          </p>
          <Checkbox isSelected={prune} onChange={setPrune}>Prune: delete resources that the deployment did not have</Checkbox>
          {dryRun.problem && <FailureBanner error={dryRun.problem} what="make the dry run" onRetry={() => void dryRun.askAgain()} />}
          {dryRunId !== "" && !dryRun.problem && <PlanList plan={planOf(resources)} left={nothingLeft} onLeft={() => undefined} prune={prune} dryRun={operationOf(application, dryRunId)} isRunning />}
          {rollback.problem && <FailureBanner error={rollback.problem} what={`roll back ${key.name}`} onRetry={() => void rollback.askAgain()} />}
          <Command>{`causeway app rollback ${key.runtime}/${key.namespace}/${key.name} ${deployment.id}${prune ? " --prune" : ""}`}</Command>
        </div>
      )}
    </Dialog>
  );
}
