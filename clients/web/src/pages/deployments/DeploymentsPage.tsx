import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { OperationPhase } from "@contract/causeway/inventory/v1/application_pb";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useDeployments } from "@/data";
import { FailureBanner, FailureState } from "@/failure";
import { useNow } from "@/format";
import { rangeBounds, ranges, readRange } from "@/format/range";
import type { Search } from "@/search";
import { Page, useDrawer } from "@/shell";
import { Button, Chip, ChoiceBar, EmptyState, SearchField, SkeletonRows } from "@/ui";
import { DeploymentDrawer } from "./DeploymentDrawer";
import { deploymentKey, DeploymentTable } from "./DeploymentTable";
import { RangeChart } from "./RangeChart";

const results = [
  { key: "all", text: "All" },
  { key: "succeeded", text: "Succeeded" },
  { key: "failed", text: "Failed" },
] as const;
type Result = (typeof results)[number]["key"];

const phases: Record<Result, OperationPhase[]> = {
  all: [],
  succeeded: [OperationPhase.SUCCEEDED],
  failed: [OperationPhase.FAILED, OperationPhase.ERROR],
};

/** All deployments of all applications in a span of time. */
export default function DeploymentsPage() {
  const search = useSearch({ strict: false }) as Search;
  const { target, open } = useDrawer();
  const result = results.find(({ key }) => key === search["result"])?.key ?? "all";
  const range = readRange(search["range"] ?? "7d");
  const { from } = rangeBounds(range, useNow());
  const filter = { text: search["q"] ?? "", runtimes: search["runtime"]?.split(",") ?? [] };
  const request = { filter, phases: phases[result], startedFrom: timestampFromMs(from), pageSize: 100 };
  const read = useDeployments(request, { keepsPrevious: true, interval: 15_000 });
  const deployments = read.data?.pages.flatMap((page) => page.deployments) ?? [];
  const retry = () => void read.refetch();
  return (
    <Page title="Deployments" drawer={(key, close) => <DeploymentDrawer deployment={deployments.find((row) => deploymentKey(row) === key)} onClose={close} />}>
      <Filters search={search} range={range} result={result} />
      <RangeChart range={range} filter={filter} />
      {read.error && deployments.length > 0 && <FailureBanner error={read.error} what="list deployments" onRetry={retry} />}
      {read.error && deployments.length === 0 && <FailureState error={read.error} what="list deployments" onRetry={retry} />}
      {read.isPending && <SkeletonRows />}
      {read.data && deployments.length === 0 && <Nothing search={search} />}
      {deployments.length > 0 && <DeploymentTable deployments={deployments} selected={target} onOpen={open} />}
      {read.hasNextPage && (
        <Button className="mt-3 self-center" isDisabled={read.isFetchingNextPage} onPress={() => void read.fetchNextPage()}>
          {read.isFetchingNextPage ? "Loading…" : "Show earlier ones"}
        </Button>
      )}
    </Page>
  );
}

function useSetSearch() {
  const navigate = useNavigate();
  return (change: Search, replace = false) =>
    void navigate({ to: ".", search: (search: Search) => ({ ...search, ...change }), replace, resetScroll: false });
}

function Filters({ search, range, result }: { search: Search; range: string; result: Result }) {
  const set = useSetSearch();
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <SearchField
        label="Filter deployments"
        placeholder="Application, namespace or project"
        className="w-80 max-wide:w-full"
        value={search["q"] ?? ""}
        onChange={(q) => set({ q }, true)}
      />
      <ChoiceBar label="Result" choices={results} value={result} onChange={(key) => set({ result: key === "all" ? undefined : key })} />
      <ChoiceBar label="Time span" choices={ranges.map((key) => ({ key, text: key }))} value={range as (typeof ranges)[number]} onChange={(key) => set({ range: key })} />
      {search["runtime"] && (
        <Chip onRemove={() => set({ runtime: undefined })} removeLabel="Remove the filter by runtime">runtime: {search["runtime"]}</Chip>
      )}
    </div>
  );
}

function Nothing({ search }: { search: Search }) {
  const set = useSetSearch();
  const isFiltered = Boolean(search["q"] || search["result"] || search["runtime"]);
  const clear = <Button onPress={() => set({ q: undefined, result: undefined, runtime: undefined })}>Clear the filter</Button>;
  return (
    <EmptyState title={isFiltered ? "No deployment matches" : "No deployment in this time"} {...(isFiltered ? { action: clear } : {})}>
      A deployment is recorded when a sync of an application ends.
    </EmptyState>
  );
}
