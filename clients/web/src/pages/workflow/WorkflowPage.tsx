import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { useResource } from "@/data";
import { FailureBanner, FailureState } from "@/failure";
import { Elapsed, Time, useNow } from "@/format";
import { workflowOf } from "@/pages/workflows/columns";
import { workflowState } from "@/pages/workflows/phases";
import { Page, useDrawer } from "@/shell";
import { StateMark } from "@/state";
import { Link, SkeletonRows } from "@/ui";
import { NodeDrawer } from "./NodeDrawer";
import { NodeList } from "./NodeList";
import { toRows } from "./nodes";
import { WorkflowActions } from "./WorkflowActions";

/** One workflow: how it stands, its nodes in time, and what can be done. */
export default function WorkflowPage() {
  const key = useParams({ from: "/workflows/$runtime/$cluster/$namespace/$name" });
  const { runtime, cluster, namespace, name } = key;
  const { target, open } = useDrawer();
  const now = useNow();
  const read = useResource({ ...key, kind: "Workflow" }, { interval: 3_000 });
  const resource = read.data?.resource;
  const workflow = resource && workflowOf(resource);
  const rows = useMemo(() => toRows(workflow?.nodes ?? [], now), [workflow, now]);
  const retry = () => void read.refetch();
  return (
    <Page
      title={name}
      crumbs={[{ text: runtime }, { text: namespace }, { text: name }]}
      {...(workflow ? { actions: <WorkflowActions target={{ runtime, cluster, namespace, name }} phase={workflow.phase} onDone={retry} /> } : {})}
      drawer={(id, close) => <NodeDrawer node={workflow?.nodes.find((node) => node.id === id)} workflow={key} onClose={close} />}
    >
      {read.error && workflow && <FailureBanner error={read.error} what={`read ${name}`} onRetry={retry} />}
      {read.error && !workflow && <FailureState error={read.error} what={`read ${name}`} onRetry={retry} />}
      {read.isPending && <SkeletonRows />}
      {workflow && (
        <>
          <div className="mb-4 flex flex-wrap items-center gap-x-6 gap-y-1">
            <StateMark state={workflowState(workflow.phase)}>{workflow.phase || "Pending"}</StateMark>
            {workflow.progress && <span className="numbers">{workflow.progress} nodes</span>}
            <span className="text-dim">started <Time at={workflow.startedAt} inSentence /></span>
            <span className="text-dim">{workflow.finishedAt ? "took" : "runs for"} <Elapsed since={workflow.startedAt} until={workflow.finishedAt} /></span>
            {workflow.templateReference && <span className="text-dim">from {workflow.templateReference}</span>}
            <span className="text-dim">
              <Link to="/runtimes/$name" params={{ name: runtime }}>{runtime}</Link> / {cluster} / {namespace}
            </span>
          </div>
          {workflow.message && <p className="mb-4 break-words whitespace-pre-wrap">{workflow.message}</p>}
          <NodeList rows={rows} selected={target} onOpen={open} />
          {workflow.nodeCount > workflow.nodes.length && (
            <p className="mt-2 text-dim">{workflow.nodes.length} of {workflow.nodeCount} nodes are reported.</p>
          )}
        </>
      )}
    </Page>
  );
}
