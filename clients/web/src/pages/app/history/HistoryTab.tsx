import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Deployment } from "@contract/causeway/inventory/v1/application_pb";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CallError, toProblem } from "@/data";
import { FailureState } from "@/failure";
import { authorName, Elapsed, plainLine, Revision, Time } from "@/format";
import { Banner, EmptyState, GuardedButton, SkeletonRows, Table, type Column } from "@/ui";
import { actions } from "@/words";
import { useApp } from "../context";
import { useParam } from "../data/search";
import { FileList } from "../diff/FileList";
import { compareTimes } from "../diff/sides";
import { RollbackDialog } from "./RollbackDialog";

/** The deployments that Argo CD keeps; one of them can be returned to. */
export default function HistoryTab() {
  const { application } = useApp();
  const [chosen, setChosen] = useParam("deployment");
  const history = [...(application.status?.history ?? [])].reverse();
  const deployment = history.find(({ id }) => id.toString() === chosen);
  if (history.length === 0) return <EmptyState title="No deployment yet">Each sync of the whole application makes an entry here.</EmptyState>;
  return (
    <div className="flex min-h-0 grow flex-col gap-4 overflow-y-auto">
      <Table<Deployment>
        label="Deployments"
        columns={columns}
        rows={history}
        rowKey={({ id }) => id.toString()}
        isSelected={({ id }) => id.toString() === chosen}
        onOpen={({ id }) => setChosen(id.toString() === chosen ? undefined : id.toString())}
        className="shrink-0 rounded-card border border-line"
      />
      {deployment ? <Chosen key={chosen} deployment={deployment} isCurrent={deployment === history[0]} /> : <p className="text-dim">Choose a deployment to see what differs from now, and to return to it.</p>}
    </div>
  );
}

const columns: Column<Deployment>[] = [
  { id: "id", title: "ID", cell: ({ id }) => <span className="numbers">{id.toString()}</span>, width: "6ch" },
  { id: "revision", title: "Revision", isHeader: true, cell: (deployment) => <DeploymentButton deployment={deployment} /> },
  { id: "message", title: "Commit", isSecondary: true, cell: ({ commit }) => <span className="line-clamp-1">{plainLine(commit?.message ?? "")}</span> },
  { id: "author", title: "Author", isSecondary: true, cell: ({ commit }) => authorName(commit?.author ?? "") || "–" },
  { id: "by", title: "Started by", cell: ({ automated, initiatedBy }) => (automated ? "auto-sync" : initiatedBy || "unknown") },
  { id: "took", title: "Took", align: "right", isSecondary: true, cell: ({ startedAt, deployedAt }) => <Elapsed since={startedAt ?? deployedAt} until={deployedAt} /> },
  { id: "at", title: "Deployed", align: "right", cell: ({ deployedAt }) => <Time at={deployedAt} /> },
];

function DeploymentButton({ deployment }: { deployment: Deployment }) {
  const [chosen, setChosen] = useParam("deployment");
  const id = deployment.id.toString();
  return (
    <button type="button" aria-pressed={chosen === id} onClick={() => setChosen(chosen === id ? undefined : id)} className="rounded-control">
      <Revision>{deployment.revisions[0] ?? "unknown"}</Revision>
    </button>
  );
}

function Chosen({ deployment, isCurrent }: { deployment: Deployment; isCurrent: boolean }) {
  const { application, reason } = useApp();
  const [isOpen, setOpen] = useState(false);
  const isAutomated = application.spec?.syncPolicy?.automated ?? false;
  const refusal = isCurrent
    ? "This is the deployment that is shown now."
    : (reason("application.rollback") ?? (isAutomated ? "Auto-sync is on and would deploy the newest revision again. Revert the commit in Git, or turn auto-sync off there." : undefined));
  return (
    <section aria-label={`Deployment ${deployment.id}`} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="text-h2 font-semibold">From deployment {deployment.id.toString()} to now</h2>
        <span className="grow" />
        <GuardedButton tone="danger" reason={refusal} onPress={() => setOpen(true)}>{`${actions.rollback} to ${deployment.id}…`}</GuardedButton>
      </div>
      {isAutomated && !isCurrent && <Banner tone="warn">Auto-sync is on, so Argo CD refuses a rollback. Revert the commit in Git, or turn auto-sync off there.</Banner>}
      <DifferenceToNow deployment={deployment} />
      {isOpen && <RollbackDialog deployment={deployment} onClose={() => setOpen(false)} />}
    </section>
  );
}

function DifferenceToNow({ deployment }: { deployment: Deployment }) {
  const { key } = useApp();
  // The state reported with the end of the sync comes just after it.
  const from = deployment.deployedAt ? timestampMs(deployment.deployedAt) + 5_000 : undefined;
  const read = useQuery({
    queryKey: ["diff-to-now", key, from],
    enabled: from !== undefined,
    retry: false,
    queryFn: async ({ signal }) => {
      try {
        return await compareTimes(key, from ?? 0, undefined, signal);
      } catch (error) {
        throw new CallError(toProblem(error));
      }
    },
  });
  if (read.error) return <FailureState error={read.error} what="compare with now" onRetry={() => void read.refetch()} />;
  if (!read.data) return <SkeletonRows count={3} />;
  if (read.data.files.length === 0) return <p className="text-dim">No reported resource differs from then.</p>;
  return <FileList files={read.data.files} directions={["then", "now"]} />;
}
