import { timestampMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import { HealthStatus, type Operation, OperationPhase, SyncStatus, type Application } from "@contract/causeway/inventory/v1/application_pb";
import { ApplicationSort } from "@contract/causeway/inventory/v1/application_service_pb";

/** One application of a list, as plain data that crosses to the page; times are milliseconds since 1970. */
export interface Row {
  /** RUNTIME/CLUSTER/NAMESPACE/NAME. */
  key: string;
  runtime: string;
  cluster: string;
  namespace: string;
  name: string;
  project: string;
  labels: Readonly<Record<string, string>>;
  health: HealthStatus;
  healthSince: number | undefined;
  healthMessage: string;
  sync: SyncStatus;
  revision: string;
  targetRevision: string;
  automated: boolean;
  parent: string;
  operation: RowOperation | undefined;
  createdAt: number;
  receivedAt: number;
  isDeleting: boolean;
  uid: string;
  /** Grows with each change of the object. */
  version: number;
  /** It was deleted or no longer matches, and the list was not read again yet. */
  isGone?: boolean;
}

export interface RowOperation {
  phase: OperationPhase;
  message: string;
  revision: string;
  initiatedBy: string;
  automated: boolean;
  /** It changed nothing: it told what a sync would do. */
  isDryRun: boolean;
  startedAt: number | undefined;
  finishedAt: number | undefined;
  requestId: string;
}

export interface Names {
  runtime: string;
  cluster: string;
  namespace: string;
  name: string;
}

export function keyOf({ runtime, cluster, namespace, name }: Names): string {
  return `${runtime}/${cluster}/${namespace}/${name}`;
}

export function toRow(application: Application): Row {
  const { runtime, cluster, namespace, name, spec, status } = application;
  const parent = status?.parent;
  return {
    key: keyOf(application),
    runtime,
    cluster,
    namespace,
    name,
    project: spec?.project ?? "",
    labels: application.labels,
    health: status?.health?.status ?? HealthStatus.UNSPECIFIED,
    healthSince: millis(status?.health?.since),
    healthMessage: status?.health?.message ?? "",
    sync: status?.sync?.status ?? SyncStatus.UNSPECIFIED,
    revision: status?.sync?.revisions[0] ?? "",
    targetRevision: spec?.sources[0]?.targetRevision ?? "",
    automated: spec?.syncPolicy?.automated ?? false,
    parent: parent?.name ? `${parent.namespace}/${parent.name}` : "",
    operation: status?.operation && toOperation(status.operation),
    createdAt: millis(application.createdAt) ?? 0,
    receivedAt: millis(application.receivedAt) ?? 0,
    isDeleting: application.deletionRequestedAt !== undefined,
    uid: application.uid,
    version: Number(application.resourceVersion),
  };
}

function toOperation(operation: Operation): RowOperation {
  const { phase, message, initiatedBy, automated, requestId, dryRun } = operation;
  const [revision = ""] = operation.revisions;
  return { phase, message, revision, initiatedBy, automated, isDryRun: dryRun, requestId, startedAt: millis(operation.startedAt), finishedAt: millis(operation.finishedAt) };
}

function millis(time: Timestamp | undefined): number | undefined {
  return time && timestampMs(time);
}

const worstFirst = [HealthStatus.DEGRADED, HealthStatus.MISSING, HealthStatus.UNKNOWN, HealthStatus.UNSPECIFIED, HealthStatus.PROGRESSING, HealthStatus.SUSPENDED, HealthStatus.HEALTHY];
const driftedFirst = [SyncStatus.OUT_OF_SYNC, SyncStatus.UNKNOWN, SyncStatus.UNSPECIFIED, SyncStatus.SYNCED];

/** Compares two rows as the server sorts them, without ties. */
function compareValue(a: Row, b: Row, sort: ApplicationSort): number {
  switch (sort) {
    case ApplicationSort.NAME:
      return compareText(a.name, b.name);
    case ApplicationSort.NAMESPACE:
      return compareText(a.namespace, b.namespace);
    case ApplicationSort.PROJECT:
      return compareText(a.project, b.project);
    case ApplicationSort.CLUSTER:
      return compareText(a.cluster, b.cluster);
    case ApplicationSort.SYNC:
      return driftedFirst.indexOf(a.sync) - driftedFirst.indexOf(b.sync);
    case ApplicationSort.HEALTH:
      return worstFirst.indexOf(a.health) - worstFirst.indexOf(b.health);
    case ApplicationSort.CHANGED:
      return b.receivedAt - a.receivedAt;
    case ApplicationSort.CREATED:
      return b.createdAt - a.createdAt;
    case ApplicationSort.LAST_OPERATION:
      return (b.operation?.startedAt ?? -1) - (a.operation?.startedAt ?? -1);
    default:
      return 0;
  }
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares two rows in the order of a list; ties are ordered by their names in both directions. */
export function compareRows(a: Row, b: Row, sort: ApplicationSort, descending: boolean): number {
  const value = compareValue(a, b, sort) * (descending ? -1 : 1);
  if (value !== 0) return value;
  const names = compareText(a.runtime, b.runtime) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name) || compareText(a.cluster, b.cluster);
  const isReversed = descending && (sort === ApplicationSort.RUNTIME || sort === ApplicationSort.UNSPECIFIED);
  return isReversed ? -names : names;
}
