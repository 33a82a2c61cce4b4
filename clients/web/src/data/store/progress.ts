import { OperationPhase } from "@contract/causeway/inventory/v1/application_pb";
import { ApplicationSort } from "@contract/causeway/inventory/v1/application_service_pb";
import { useEffect, useMemo } from "react";
import type { Row } from "./row";
import { useWindow } from "./useWindow";

/** Follows up to 500 applications by their keys, live; undefined while they load. */
export function useRows(keys: readonly string[]): ReadonlyMap<string, Row> | undefined {
  const wanted = keys.length > 0 ? [...keys].sort() : ["-/-/-/-"];
  const list = useWindow({ filter: { keys: wanted.slice(0, 500) }, sort: ApplicationSort.RUNTIME, descending: false });
  const { rows, isPending, show } = list;
  useEffect(() => show(0, Math.max(1, keys.length)), [keys.length]);
  return useMemo(() => (isPending ? undefined : new Map([...rows.values()].map((row) => [row.key, row]))), [rows, isPending]);
}

/** How an operation stands that this page started, told by the watch. */
export type Progress = "waiting" | "running" | "succeeded" | "failed";

/** Returns the progress of the operation with a request id; an earlier operation of the application does not count. */
export function progressOf(row: Row | undefined, requestId: string): Progress {
  const operation = row?.operation;
  if (!operation || operation.requestId !== requestId) return "waiting";
  if (operation.phase === OperationPhase.SUCCEEDED) return "succeeded";
  if (operation.phase === OperationPhase.FAILED || operation.phase === OperationPhase.ERROR) return "failed";
  return "running";
}
