import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ApplicationService } from "@contract/causeway/inventory/v1/application_service_pb";
import { type Resource, SyncStatus } from "@contract/causeway/inventory/v1/application_pb";
import { ManifestSource, ResourceActionService } from "@contract/causeway/proxy/v1/resource_action_service_pb";
import { type ApplicationKey, call, clientOf } from "@/data";
import { readManifests, toHex } from "../data/manifests";
import { resourceKey, type ResourceIdentity } from "../model/resource";
import { onlySetFields, parseManifest, toYaml, withoutClusterFields } from "./yaml";

/** A resource that differs, with both texts. */
export interface FileDiff extends ResourceIdentity {
  key: string;
  a: string;
  b: string;
  /** Values of secrets differ, and are not shown. */
  isSecret: boolean;
}

/** Most manifests that one comparison reads. */
const MOST = 1_000;

const textOf = (content: Uint8Array | undefined) => {
  const manifest = parseManifest(content);
  return manifest ? toYaml(withoutClusterFields(manifest)) : "";
};

function fileOf(identity: ResourceIdentity, a: string, b: string): FileDiff {
  const { group, kind, namespace, name } = identity;
  return { group, kind, namespace, name, key: resourceKey(identity), a, b, isSecret: kind === "Secret" && group === "" };
}

/** Compares live and wanted manifests as Argo CD does: without ignored differences, with the cluster's defaults. */
export async function compareWithArgo(key: ApplicationKey, signal: AbortSignal): Promise<FileDiff[]> {
  const files: FileDiff[] = [];
  const { runtime, namespace, name } = key;
  const stream = clientOf(ResourceActionService).streamManifests({ runtime, namespace, name, source: ManifestSource.COMPARED }, { signal });
  for await (const each of stream) {
    if (files.length >= MOST) break;
    files.push(fileOf(each, textOf(each.live), textOf(each.desired)));
  }
  return files.filter(({ a, b }) => a !== b);
}

/** Compares what Git has at the application's revision with what it has at another one. */
export async function compareRevisions(key: ApplicationKey, revision: string, signal: AbortSignal): Promise<FileDiff[]> {
  const [own, other] = await Promise.all([readRevision(key, "", signal), readRevision(key, revision, signal)]);
  const keys = [...new Set([...own.keys(), ...other.keys()])].sort();
  return keys
    .map((each) => fileOf((own.get(each) ?? other.get(each))!, own.get(each)?.text ?? "", other.get(each)?.text ?? ""))
    .filter(({ a, b }) => a !== b);
}

async function readRevision({ runtime, namespace, name }: ApplicationKey, revision: string, signal: AbortSignal) {
  const found = new Map<string, ResourceIdentity & { text: string }>();
  const stream = clientOf(ResourceActionService).streamManifests({ runtime, namespace, name, source: ManifestSource.GIT, revision }, { signal });
  for await (const { group, kind, namespace: place, name: own, desired } of stream) {
    if (found.size >= MOST) break;
    const identity = { group, kind, namespace: place, name: own };
    found.set(resourceKey(identity), { ...identity, text: textOf(desired) });
  }
  return found;
}

/** Compares the reported manifests of the resources that differ; works where the runtime cannot be reached. */
export async function compareReported(key: ApplicationKey, resources: readonly Resource[], signal: AbortSignal): Promise<FileDiff[]> {
  const differing = resources.filter(({ sync, requiresPruning }) => sync === SyncStatus.OUT_OF_SYNC || requiresPruning).slice(0, MOST);
  const digests = differing.flatMap(({ liveDigest, desiredDigest }) => [toHex(liveDigest), toHex(desiredDigest)]).filter(Boolean);
  const found = await readManifests(key, [...new Set(digests)], undefined, signal);
  const bare = (digest: Uint8Array) => {
    const manifest = found.get(toHex(digest));
    return manifest && withoutClusterFields(manifest);
  };
  return differing.map((each) => {
    const [live, wanted] = [bare(each.liveDigest), bare(each.desiredDigest)];
    return fileOf(each, live ? toYaml(wanted ? onlySetFields(live, wanted) : live) : "", wanted ? toYaml(wanted) : "");
  });
}

/** The result of comparing two times. */
export interface TimeDiff {
  files: FileDiff[];
  /** Differing resources that did not fit into the answer. */
  leftOff: number;
}

/** Compares the live manifests of an application at two times. */
export async function compareTimes(key: ApplicationKey, from: number, to: number | undefined, signal: AbortSignal): Promise<TimeDiff> {
  const until = to === undefined ? {} : { to: timestampFromMs(to) };
  const { resources, resourcesLeftOff } = await call(ApplicationService.method.diffApplication, { ...key, from: timestampFromMs(from), ...until }, { signal });
  const digests = (side: "from" | "to") => [...new Set(resources.map((each) => toHex(each[side]?.liveDigest)).filter(Boolean))];
  const [before, after] = await Promise.all([readManifests(key, digests("from"), from, signal), readManifests(key, digests("to"), to, signal)]);
  const text = (found: typeof before, digest: Uint8Array | undefined) => {
    const manifest = found.get(toHex(digest));
    return manifest ? toYaml(withoutClusterFields(manifest)) : "";
  };
  const files = resources.map((each) => fileOf((each.to ?? each.from)!, text(before, each.from?.liveDigest), text(after, each.to?.liveDigest)));
  return { files: files.filter(({ a, b, isSecret }) => a !== b || isSecret), leftOff: resourcesLeftOff };
}

/** Compares the live manifests of two applications, resource by resource, without their namespaces. */
export async function compareApplications(key: ApplicationKey, other: ApplicationKey, signal: AbortSignal): Promise<FileDiff[]> {
  const [own, theirs] = await Promise.all([readAll(key, signal), readAll(other, signal)]);
  const keys = [...new Set([...own.keys(), ...theirs.keys()])].sort();
  return keys
    .map((each) => {
      const identity = (own.get(each) ?? theirs.get(each))!;
      return fileOf(identity, theirs.get(each)?.text ?? "", own.get(each)?.text ?? "");
    })
    .filter(({ a, b }) => a !== b);
}

async function readAll(key: ApplicationKey, signal: AbortSignal): Promise<Map<string, ResourceIdentity & { text: string }>> {
  const { application } = await call(ApplicationService.method.getApplication, key, { signal });
  const managed = (application?.status?.resources ?? []).filter(({ desiredDigest }) => desiredDigest.length > 0).slice(0, MOST);
  const found = await readManifests(key, [...new Set(managed.map(({ liveDigest }) => toHex(liveDigest)).filter(Boolean))], undefined, signal);
  return new Map(
    managed.map((each) => {
      const manifest = found.get(toHex(each.liveDigest));
      return [`${each.kind}.${each.group}/${each.name}`, { group: each.group, kind: each.kind, namespace: each.namespace, name: each.name, text: manifest ? toYaml(withoutClusterFields(manifest)) : "" }];
    }),
  );
}
