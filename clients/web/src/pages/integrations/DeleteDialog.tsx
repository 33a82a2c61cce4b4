import { IntegrationService, type Integration } from "@contract/causeway/git/v1/integration_service_pb";
import { ApplicationView } from "@contract/causeway/inventory/v1/application_service_pb";
import { ConfirmDialog, useChange } from "@/admin";
import { useApplicationPage } from "@/data";
import { plural } from "@/format";
import { repositoryBy } from "@/git";
import { notify } from "@/shell";

export interface DeleteDialogProps {
  runtime: string;
  integration: Integration | undefined;
  onClose: () => void;
}

/** Asks before an integration is deleted, and names what stops working. */
export function DeleteDialog({ runtime, integration, onClose }: DeleteDialogProps) {
  const { name = "", url = "" } = integration ?? {};
  const change = useChange(IntegrationService.method.deleteIntegration, {
    scope: `${runtime}/${name}`,
    onDone: () => {
      notify({ text: `Deleted the integration ${name}.`, state: "refused" });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${name}`}
      isOpen={integration !== undefined}
      onClose={onClose}
      change={change}
      onConfirm={() => change.run({ runtime, name })}
      typedName={name}
      command={`causeway integration delete ${name} --runtime ${runtime}`}
    >
      {integration && <p className="m-0">These stop working at once:</p>}
      <ul className="m-0 flex list-disc flex-col gap-1 pl-5">
        <li>commits by Causeway to repositories under <code className="font-mono text-label break-all">{url}</code>;</li>
        {integration && <Sources runtime={runtime} integration={integration} />}
      </ul>
      <p className="m-0 text-dim">
        The runtime deletes the credential. Argo CD has credentials of its own and syncs on. At the host the token or key stays valid: revoke it there.
      </p>
    </ConfirmDialog>
  );
}

/** So many applications are looked at, and so many are named. */
const READ = 500;
const NAMED = 5;

/** The applications whose repositories it reaches. */
function Sources({ runtime, integration }: { runtime: string; integration: Integration }) {
  const { data } = useApplicationPage({ filter: { runtimes: [runtime] }, view: ApplicationView.BASIC, pageSize: READ });
  if (!data) return <li>Commit to Git on the pages of applications whose source lies there.</li>;
  const reached = data.applications.filter(({ spec }) => spec?.sources.some((source) => repositoryBy(integration, source.repositoryUrl) !== undefined));
  const isMore = Number(data.total) > READ || reached.length > NAMED;
  return (
    <li>
      Commit to Git on the pages of {plural(reached.length, "application")}
      {reached.length > 0 && `: ${reached.slice(0, NAMED).map(({ name }) => name).join(", ")}${isMore ? " and others" : ""}`}.
    </li>
  );
}
