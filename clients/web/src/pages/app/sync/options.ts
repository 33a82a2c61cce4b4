import type { MessageInitShape } from "@bufbuild/protobuf";
import { SyncStrategy, type SyncApplicationRequestSchema } from "@contract/causeway/proxy/v1/application_action_service_pb";
import type { ApplicationKey } from "@/data";
import type { PlannedResource } from "./plan";

/** What one may choose in the sync dialog. */
export interface SyncOptions {
  revision: string;
  prune: boolean;
  force: boolean;
  /** Runs no hooks. */
  applyOnly: boolean;
  retries: number;
  /** Argo CD options by name, such as Replace. */
  argo: ReadonlySet<string>;
}

export const noOptions: SyncOptions = { revision: "", prune: false, force: false, applyOnly: false, retries: 0, argo: new Set() };

/** The Argo CD options that the dialog offers. */
export const argoOptions = [
  { value: "Replace=true", text: "Replace in place of apply" },
  { value: "ServerSideApply=true", text: "Server-side apply" },
  { value: "ApplyOutOfSyncOnly=true", text: "Only what differs" },
  { value: "CreateNamespace=true", text: "Create the namespace" },
  { value: "PruneLast=true", text: "Delete last" },
  { value: "Validate=false", text: "Skip schema validation" },
] as const;

/** Builds the request; a selection of all is a whole sync, which runs hooks and makes a history entry. */
export function requestOf(key: ApplicationKey, options: SyncOptions, plan: readonly PlannedResource[], chosen: ReadonlySet<string>, dryRun: boolean): MessageInitShape<typeof SyncApplicationRequestSchema> {
  const picked = plan.filter((each) => chosen.has(each.key));
  const resources = picked.length === plan.length ? [] : picked.map(({ resource: { group, kind, namespace, name } }) => ({ group, kind, namespace, name }));
  return {
    runtime: key.runtime,
    namespace: key.namespace,
    name: key.name,
    revision: options.revision.trim(),
    prune: options.prune,
    force: options.force,
    dryRun,
    resources,
    strategy: options.applyOnly ? SyncStrategy.APPLY : SyncStrategy.HOOK,
    syncOptions: [...options.argo],
    ...(options.retries > 0 ? { retry: { limit: BigInt(options.retries) } } : {}),
  };
}

/** Writes the same sync as a command. */
export function commandOf(key: ApplicationKey, options: SyncOptions, plan: readonly PlannedResource[], chosen: ReadonlySet<string>): string {
  const picked = plan.filter((each) => chosen.has(each.key));
  const words = [`causeway app sync ${key.runtime}/${key.namespace}/${key.name}`];
  if (options.revision.trim()) words.push("--revision", options.revision.trim());
  if (options.prune) words.push("--prune");
  if (options.force) words.push("--force");
  if (options.applyOnly) words.push("--strategy apply");
  for (const option of options.argo) words.push("--sync-option", option);
  if (options.retries > 0) words.push("--retry-limit", String(options.retries));
  if (picked.length < plan.length) for (const { resource } of picked) words.push("--resource", `${resource.group}:${resource.kind}:${resource.namespace}/${resource.name}`);
  return words.join(" ");
}
