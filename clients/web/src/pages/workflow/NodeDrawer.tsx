import type { WorkflowNode } from "@contract/causeway/inventory/v1/resource_pb";
import type { ReactNode } from "react";
import type { ApplicationKey } from "@/data";
import { Elapsed, Time } from "@/format";
import { workflowState } from "@/pages/workflows/phases";
import { StateMark } from "@/state";
import { Command, CopyButton, Drawer } from "@/ui";

interface NodeDrawerProps {
  /** Undefined where the workflow has no such node. */
  node: WorkflowNode | undefined;
  workflow: ApplicationKey;
  onClose: () => void;
}

/** One node of a workflow. */
export function NodeDrawer({ node, workflow, onClose }: NodeDrawerProps) {
  if (!node) {
    return (
      <Drawer title="Node" label="Node" onClose={onClose}>
        <p className="text-dim">The workflow has no such node.</p>
      </Drawer>
    );
  }
  return (
    <Drawer title={node.name} label={`Node ${node.name}`} onClose={onClose}>
      <dl className="m-0 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-6">
        <Fact name="Phase"><StateMark state={workflowState(node.phase)}>{node.phase || "Pending"}</StateMark></Fact>
        <Fact name="Type">{node.type}</Fact>
        <Fact name="Template">{node.template || "–"}</Fact>
        <Fact name="Started"><Time at={node.startedAt} inSentence /></Fact>
        <Fact name="Ended"><Time at={node.finishedAt} inSentence /></Fact>
        <Fact name="Duration"><Elapsed since={node.startedAt} until={node.finishedAt} /></Fact>
        <Fact name="Id"><code className="font-mono text-label break-all">{node.id}</code> <CopyButton text={node.id} what="node id" /></Fact>
      </dl>
      {node.message && <p className="mt-4 break-words whitespace-pre-wrap">{node.message}</p>}
      {node.type === "Pod" && (
        <section className="mt-4">
          <h3 className="mb-1 font-semibold">Logs</h3>
          <p className="mb-1 text-dim">The logs of all pods of the workflow, while they exist:</p>
          <Command>{`causeway workflow logs ${workflow.name} --namespace ${workflow.namespace} --runtime ${workflow.runtime}`}</Command>
        </section>
      )}
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
