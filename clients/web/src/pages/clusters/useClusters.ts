import { Code } from "@connectrpc/connect";
import { ReporterService, type ReporterGroup } from "@contract/causeway/inventory/v1/reporter_service_pb";
import { useQueries } from "@tanstack/react-query";
import type { Read } from "@/admin";
import type { CallError } from "@/data/problem";
import { readOf } from "@/data/queries";
import { useParts, useRuntimes } from "@/data/reads/platform";
import { buildClusters, type Cluster } from "./clusters";

const INTERVAL = 10_000;

export interface ClusterRead extends Read<Cluster[]> {
  /** Runtimes whose clusters could not be read. */
  missing: string[];
}

/** Reads the clusters of one runtime, or of all. */
export function useClusters(only: string | undefined): ClusterRead {
  const { runtimes, error, refetch } = useRuntimes();
  const { parts } = useParts({ interval: INTERVAL });
  const names = runtimes?.filter((runtime) => !runtime.revokedAt && (!only || runtime.name === only)).map((runtime) => runtime.name) ?? [];
  const reads = useQueries({
    queries: names.map((runtime) => readOf(ReporterService.method.listReporters, { runtime }, { interval: INTERVAL })),
  });
  const isLoading = !runtimes || reads.some((read) => read.isPending);
  const groups = reads.flatMap((read): ReporterGroup[] => read.data?.groups ?? []);
  return {
    data: isLoading ? undefined : buildClusters(groups, parts ?? []),
    error,
    refetch: () => (refetch(), reads.map((read) => read.refetch())),
    missing: names.filter((_, index) => isFailed(reads[index]?.error)),
  };
}

/** A runtime that has never reported is not found: it has no clusters yet. */
function isFailed(error: CallError | null | undefined): boolean {
  return Boolean(error) && error?.code !== Code.NotFound;
}
