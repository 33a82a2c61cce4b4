import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { ApplicationField } from "@contract/causeway/inventory/v1/application_service_pb";
import { PartService } from "@contract/causeway/platform/v1/part_service_pb";
import { RuntimeService } from "@contract/causeway/platform/v1/runtime_service_pb";
import { useEffect } from "react";
import { invalidate, type Read } from "@/admin";
import { useApplicationFacets } from "@/data/reads/applications";
import { useParts, useRuntimes } from "@/data/reads/platform";
import { clientOf } from "@/data/transport";
import { buildTopology, type Topology } from "./model";

/** Parts announce themselves every few seconds. */
const PARTS_INTERVAL = 5_000;

/** Reads runtimes and parts, and follows their changes. */
export function useTopology(): Read<Topology> {
  const runtimes = useRuntimes();
  const parts = useParts({ interval: PARTS_INTERVAL });
  useRuntimeChanges();
  const isThere = runtimes.runtimes && (parts.parts ?? parts.error);
  return {
    data: isThere ? buildTopology(runtimes.runtimes ?? [], parts.parts ?? []) : undefined,
    error: runtimes.error ?? (runtimes.data ? null : parts.error),
    refetch: () => (runtimes.refetch(), parts.refetch()),
  };
}

/** Counts the applications of each runtime. */
export function useApplicationCounts(interval = 30_000): ReadonlyMap<string, bigint> {
  const { data } = useApplicationFacets({ fields: [ApplicationField.RUNTIME], mostValues: 100 }, { interval });
  return new Map(data?.facets[0]?.values.map(({ value, count }) => [value, count]));
}

/** Reads runtimes again at each change, while the page is visible: a hidden tab must not hold one of the few connections. */
export function useRuntimeChanges() {
  const client = useQueryClient();
  useEffect(() => {
    let current: AbortController | undefined;
    const follow = () => {
      current?.abort();
      current = undefined;
      if (document.visibilityState !== "visible") return;
      current = new AbortController();
      void watch(client, current.signal);
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      current?.abort();
    };
  }, [client]);
}

/** Ends at the first failure: reads at intervals go on without it. */
async function watch(client: QueryClient, signal: AbortSignal) {
  let isCurrent = false;
  try {
    for await (const { event } of clientOf(RuntimeService).watchRuntimes({}, { signal })) {
      if (event.case === "bookmark") isCurrent = true;
      else if (isCurrent) invalidate(client, [RuntimeService, PartService]);
    }
  } catch {
    // The reads at intervals show what changed.
  }
}
