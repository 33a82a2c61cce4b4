import { HealthStatus, OperationPhase, SyncStatus, type Application, type Resource } from "@contract/causeway/inventory/v1/application_pb";
import { healthState, phaseState } from "@/state";
import { states } from "@/words";
import { isBroken, worstResource } from "./resource";

/** One sentence about what is wrong, with the resource that it is about. */
export interface Cause {
  text: string;
  resource?: Resource;
  /** The condition or operation that it comes from. */
  from: "resource" | "operation" | "condition" | "health" | "sync";
}

/** Returns what is wrong with an application, the most telling cause first; empty where nothing is. */
export function causesOf({ status }: Application): Cause[] {
  const causes: Cause[] = [];
  const worst = worstResource(status?.resources ?? []);
  if (worst) causes.push({ text: `${worst.kind} ${worst.name}${worst.health?.message ? `: ${worst.health.message}` : ` ${healthText(worst)}`}`, resource: worst, from: "resource" });
  if (!worst && status?.health?.message) causes.push({ text: status.health.message, from: "health" });
  // A dry run changed nothing, so its failure is no state of the application.
  if (isFailed(status?.operation?.phase) && !status?.operation?.dryRun) causes.push({ text: `The last operation ended with ${phaseState(status?.operation?.phase).word}: ${status?.operation?.message || "no message"}`, from: "operation" });
  for (const condition of status?.conditions ?? []) causes.push({ text: `${condition.type}: ${condition.message}`, from: "condition" });
  return causes;
}

function isFailed(phase: OperationPhase | undefined): boolean {
  return phase === OperationPhase.FAILED || phase === OperationPhase.ERROR;
}

function healthText(resource: Resource): string {
  return resource.health?.status === HealthStatus.MISSING ? "is not in the cluster." : `is ${states[healthState(resource.health?.status)].word}.`;
}

/** Counts the resources that differ from Git. */
export function countOutOfSync(resources: readonly Resource[]): number {
  return resources.filter(({ sync, requiresPruning }) => sync === SyncStatus.OUT_OF_SYNC || requiresPruning).length;
}

/** Counts the resources that need a person. */
export function countBroken(resources: readonly Resource[]): number {
  return resources.filter(isBroken).length;
}

/** Reports if an operation is in progress. */
export function isRunning(application: Application): boolean {
  const phase = application.status?.operation?.phase;
  return phase === OperationPhase.RUNNING || phase === OperationPhase.TERMINATING;
}

/** Returns the cluster and namespace that an application deploys to. */
export function destinationOf({ spec }: Application): { cluster: string; namespace: string } {
  const { server = "", name = "", namespace = "" } = spec?.destination ?? {};
  return { cluster: name || (server === "https://kubernetes.default.svc" ? "in-cluster" : server.replace(/^https?:\/\//, "")), namespace };
}

/** Returns the last part of an image's repository with its tag: registry/shop/api:1.2 as api:1.2. */
export function shortImage(image: string): string {
  const [path = "", digest] = image.split("@");
  const last = path.split("/").at(-1) ?? path;
  return digest && !last.includes(":") ? `${last}@${digest.slice(0, 19)}` : last;
}
