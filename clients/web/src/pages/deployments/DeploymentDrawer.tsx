import type { DeploymentRecord } from "@contract/causeway/inventory/v1/application_service_pb";
import type { ReactNode } from "react";
import { authorName, plural, Time } from "@/format";
import { CopyButton, Drawer, ExternalLink, Link } from "@/ui";
import { Result, who } from "./DeploymentTable";

interface DeploymentDrawerProps {
  /** Undefined where the list does not hold it, such as after a change of the filter. */
  deployment: DeploymentRecord | undefined;
  onClose: () => void;
}

/** One deployment: its commit, its end and what it did. */
export function DeploymentDrawer({ deployment, onClose }: DeploymentDrawerProps) {
  if (!deployment) {
    return (
      <Drawer title="Deployment" label="Deployment" onClose={onClose}>
        <p className="text-dim">This deployment is not in the list. A longer time span or another filter may show it.</p>
      </Drawer>
    );
  }
  const { runtime, cluster, namespace, name, operation } = deployment;
  const application = { runtime, cluster, namespace, name };
  return (
    <Drawer title={`Deployment of ${name}`} label={`Deployment of ${name}`} onClose={onClose}>
      <dl className="m-0 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-6">
        <Fact name="Result"><Result operation={operation} /></Fact>
        <Fact name="Application">
          <Link to="/apps/$runtime/$cluster/$namespace/$name" params={application}>{name}</Link>
          <span className="text-dim"> {runtime} / {cluster} / {namespace}</span>
        </Fact>
        <Fact name="Project">{deployment.project}</Fact>
        <Fact name="Started"><Time at={operation?.startedAt} inSentence /> by {who(operation)}</Fact>
        <Fact name="Ended"><Time at={operation?.finishedAt} inSentence /></Fact>
        {operation?.revisions.map((revision) => (
          <Fact key={revision} name="Revision">
            <code className="font-mono text-label break-all">{revision}</code> <CopyButton text={revision} what="revision" />
          </Fact>
        ))}
        {operation?.resources && <Fact name="Resources">{counts(operation.resources)}</Fact>}
        {operation?.retryCount ? <Fact name="Retries">{operation.retryCount}</Fact> : null}
        {operation?.requestId && (
          <Fact name="Request"><code className="font-mono text-label">{operation.requestId}</code> <CopyButton text={operation.requestId} what="request id" /></Fact>
        )}
      </dl>
      <CommitText commit={operation?.commit} />
      {operation?.message && <Message text={operation.message} />}
    </Drawer>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="col-span-2 grid min-h-8 grid-cols-subgrid items-center border-b border-line">
      <dt className="text-dim">{name}</dt>
      <dd className="m-0 min-w-0 break-words">{children}</dd>
    </div>
  );
}

type Operation = NonNullable<DeploymentRecord["operation"]>;

function CommitText({ commit }: { commit: Operation["commit"] }) {
  if (!commit) return null;
  return (
    <section className="mt-4">
      <h3 className="mb-1 font-semibold">Commit</h3>
      <p className="text-dim">
        {authorName(commit.author)}, <Time at={commit.committedAt} inSentence />{" "}
        {commit.url && <ExternalLink href={commit.url}>Open in the browser</ExternalLink>}
      </p>
      <p className="mt-1 break-words whitespace-pre-wrap">{commit.message}</p>
    </section>
  );
}

function Message({ text }: { text: string }) {
  return (
    <section className="mt-4">
      <h3 className="mb-1 font-semibold">Message of Argo CD</h3>
      <p className="break-words whitespace-pre-wrap">{text}</p>
    </section>
  );
}

function counts({ synced, failed, pruned, pruneSkipped }: NonNullable<Operation["resources"]>): string {
  const parts = [plural(synced, "synced", "synced"), failed > 0 && `${failed} failed`, pruned > 0 && `${pruned} pruned`, pruneSkipped > 0 && `${pruneSkipped} not pruned`];
  return parts.filter(Boolean).join(", ");
}
