import { ApplicationActionService, RefreshKind } from "@contract/causeway/proxy/v1/application_action_service_pb";
import type { Row } from "@/data";

/** What can be done to all selected applications. */
export type BatchKind = "sync" | "refresh" | "hardRefresh";

const methods = ApplicationActionService.method;

export const permissionOf: Record<BatchKind, string> = { sync: "application.sync", refresh: "application.refresh", hardRefresh: "application.refresh" };
export const batchTitle: Record<BatchKind, string> = { sync: "Sync", refresh: "Refresh", hardRefresh: "Hard refresh" };
export const syncMethod = methods.syncApplication;
export const refreshMethod = methods.refreshApplication;

export interface SyncOptions {
  prune: boolean;
  dryRun: boolean;
}

/** The targets of a sync, each with its request. */
export function syncTargets(rows: readonly Row[], options: SyncOptions) {
  return rows.map(({ key, runtime, namespace, name }) => ({ key, input: { runtime, namespace, name, ...options } }));
}

/** The targets of a refresh, each with its request. */
export function refreshTargets(rows: readonly Row[], kind: BatchKind) {
  const extent = kind === "hardRefresh" ? RefreshKind.HARD : RefreshKind.NORMAL;
  return rows.map(({ key, runtime, namespace, name }) => ({ key, input: { runtime, namespace, name, kind: extent } }));
}
