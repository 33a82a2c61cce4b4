import type { LiveResource } from "@contract/causeway/inventory/v1/resource_service_pb";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useResources } from "@/data";
import { FailureBanner, FailureState } from "@/failure";
import { plural } from "@/format";
import type { Search } from "@/search";
import { Page } from "@/shell";
import { Button, ChoiceBar, Command, EmptyState, SearchField, SkeletonRows, Table } from "@/ui";
import { columns } from "./columns";
import { workflowState } from "./phases";

const phases = [
  { key: "all", text: "All" },
  { key: "running", text: "Running" },
  { key: "succeeded", text: "Succeeded" },
  { key: "failed", text: "Failed" },
] as const;

type Phase = (typeof phases)[number]["key"];

/** All workflows that runtimes report. */
export default function WorkflowsPage() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const text = search["q"] ?? "";
  const phase = phases.find(({ key }) => key === search["phase"])?.key ?? "all";
  const set = (change: Search) => void navigate({ to: ".", search: (before: Search) => ({ ...before, ...change }), replace: true, resetScroll: false });
  const read = useResources({ filter: { kind: "Workflow" }, pageSize: 1000 }, { interval: 5_000 });
  const all = read.data?.pages.flatMap((page) => page.resources);
  const rows = all?.filter((row) => matches(row, text) && hasPhase(row, phase)).sort(byStart);
  const retry = () => void read.refetch();
  return (
    <Page title="Workflows">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchField label="Filter workflows" placeholder="Name, namespace or runtime" className="w-80 max-wide:w-full" value={text} onChange={(q) => set({ q })} />
        <ChoiceBar label="Phase" choices={phases} value={phase} onChange={(key) => set({ phase: key === "all" ? undefined : key })} />
        {all && rows && <span className="numbers text-dim">{rows.length === all.length ? plural(all.length, "workflow") : `${rows.length} of ${plural(all.length, "workflow")}`}</span>}
      </div>
      {read.error && all && <FailureBanner error={read.error} what="list workflows" onRetry={retry} />}
      {read.error && !all && <FailureState error={read.error} what="list workflows" onRetry={retry} />}
      {read.isPending && <SkeletonRows />}
      {all?.length === 0 && <NothingYet />}
      {all && all.length > 0 && rows?.length === 0 && (
        <EmptyState title="No workflow matches" action={<Button onPress={() => set({ q: undefined, phase: undefined })}>Clear the filter</Button>} />
      )}
      {rows && rows.length > 0 && <Table label="Workflows" columns={columns} rows={rows} rowKey={({ uid }) => uid} />}
      {read.hasNextPage && <Button className="mt-3 self-center" onPress={() => void read.fetchNextPage()}>Show more</Button>}
    </Page>
  );
}

function NothingYet() {
  return (
    <EmptyState title="No workflows are reported">
      <p className="mb-2">Workflows appear when a runtime's cluster runs Argo Workflows. Submit one from a template:</p>
      <Command>causeway workflow submit TEMPLATE --runtime NAME</Command>
    </EmptyState>
  );
}

function matches({ name, namespace, runtime }: LiveResource, text: string): boolean {
  const place = `${name} ${namespace} ${runtime}`.toLowerCase();
  return text.toLowerCase().split(/\s+/).every((word) => place.includes(word));
}

function hasPhase({ detail }: LiveResource, phase: Phase): boolean {
  if (phase === "all") return true;
  const state = workflowState(detail.case === "workflow" ? detail.value.phase : "");
  const wanted = { running: ["running", "waiting"], succeeded: ["healthy"], failed: ["degraded"] }[phase];
  return wanted.includes(state);
}

/** Latest first. */
function byStart(left: LiveResource, right: LiveResource): number {
  return Number((right.createdAt?.seconds ?? 0n) - (left.createdAt?.seconds ?? 0n));
}
