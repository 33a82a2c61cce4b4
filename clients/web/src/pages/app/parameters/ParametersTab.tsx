import { ApplicationActionService } from "@contract/causeway/proxy/v1/application_action_service_pb";
import { useRead } from "@/data";
import { FailureState } from "@/failure";
import { EmptyState, ExternalLink, SkeletonRows } from "@/ui";
import { useApp } from "../context";
import { withoutCluster } from "../model/names";
import { parseManifest } from "../diff/yaml";
import { SourceCard } from "./SourceCard";
import { sourcesOf } from "./source";

/** The sources of the application: what is rendered, from where, with which parameters. */
export default function ParametersTab() {
  const { key, application } = useApp();
  const read = useRead(ApplicationActionService.method.getLiveApplication, withoutCluster(key));
  if (read.isLoading) return <SkeletonRows />;
  const manifest = parseManifest(read.data?.manifest);
  return (
    <div className="flex min-h-0 grow flex-col gap-4 overflow-y-auto">
      <Policy />
      {manifest ? (
        sourcesOf(manifest).map((source) => <SourceCard key={`${source.position}/${read.dataUpdatedAt}`} source={source} onChanged={() => void read.refetch()} />)
      ) : (
        <>
          {read.error && <FailureState error={read.error} what="read the parameters from the runtime" onRetry={() => void read.refetch()} />}
          <Reported />
        </>
      )}
      {manifest === undefined && !read.error && application.spec?.sources.length === 0 && <EmptyState title="No source is reported" />}
    </div>
  );
}

function Policy() {
  const { application } = useApp();
  const policy = application.spec?.syncPolicy;
  const words = policy?.automated ? ["Auto-sync is on", policy.prune ? "deletes what Git removes" : "does not delete", policy.selfHeal ? "reverts changes in the cluster" : "leaves changes in the cluster"] : ["Auto-sync is off"];
  return <p className="text-dim">{words.join(", ")}.</p>;
}

/** What the reports tell, where the runtime cannot be asked. */
function Reported() {
  const { application } = useApp();
  return (
    <ul className="flex flex-col gap-2">
      {(application.spec?.sources ?? []).map((source, index) => (
        <li key={index} className="rounded-card border border-line p-3">
          <ExternalLink href={source.repositoryUrl}>{source.repositoryUrl}</ExternalLink>
          <p className="text-dim">{source.chart ? `chart ${source.chart}` : `path ${source.path || "."}`} at {source.targetRevision || "the default branch"}</p>
        </li>
      ))}
    </ul>
  );
}
