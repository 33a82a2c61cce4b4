import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ApplicationService } from "@contract/causeway/inventory/v1/application_service_pb";
import { useQuery } from "@tanstack/react-query";
import { type ApplicationKey, call, type CallError } from "@/data";
import { parseManifest, type Json } from "../diff/yaml";

export type Manifest = { [key: string]: Json };

/** Manifests of one call at most. */
const MOST = 100;

/** Writes a digest as the contract names manifests. */
export function toHex(digest: Uint8Array | undefined): string {
  return digest ? [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("") : "";
}

/** Reads manifests of an application by their digests; those that are not kept any more are absent. */
export function useManifestsOf(key: ApplicationKey, digests: readonly string[], at?: number) {
  const wanted = [...new Set(digests.filter(Boolean))].sort();
  return useQuery<Map<string, Manifest>, CallError>({
    queryKey: ["manifests", key, wanted, at],
    queryFn: ({ signal }) => readManifests(key, wanted, at, signal),
    staleTime: Infinity,
    enabled: wanted.length > 0,
    retry: false,
  });
}

/** Reads manifests by their digests. */
export async function readManifests(key: ApplicationKey, digests: readonly string[], at: number | undefined, signal: AbortSignal): Promise<Map<string, Manifest>> {
  const found = new Map<string, Manifest>();
  const time = at === undefined ? {} : { at: timestampFromMs(at) };
  let rest = [...digests];
  while (rest.length > 0) {
    const { manifests, omitted } = await call(ApplicationService.method.batchGetManifests, { ...key, ...time, digestsHex: rest.slice(0, MOST) }, { signal });
    for (const { digestHex, content } of manifests) keep(found, digestHex, content);
    if (manifests.length === 0 && omitted.length > 0) break;
    rest = [...omitted, ...rest.slice(MOST)];
  }
  return found;
}

function keep(found: Map<string, Manifest>, digest: string, content: Uint8Array) {
  const manifest = parseManifest(content);
  if (manifest) found.set(digest, manifest);
}
