import type { Resource } from "@contract/causeway/inventory/v1/application_pb";
import { useState } from "react";
import { FailureState } from "@/failure";
import { Banner, EmptyState, SkeletonRows, Switch } from "@/ui";
import { useApp } from "../context";
import { toHex, useManifestsOf, type Manifest } from "../data/manifests";
import { DiffView } from "../diff/DiffView";
import { ManifestView } from "../diff/ManifestView";
import { onlySetFields, toYaml, withoutClusterFields } from "../diff/yaml";

/** The live or wanted manifest of a resource as reported, or what differs between them. */
export function Manifests({ resource, side }: { resource: Resource; side: "live" | "wanted" | "diff" }) {
  const { key, application, at } = useApp();
  const digests = { live: toHex(resource.liveDigest), wanted: toHex(resource.desiredDigest) };
  const read = useManifestsOf(key, side === "diff" ? [digests.live, digests.wanted] : [digests[side]], at);
  if (read.error) return <FailureState error={read.error} what={`read the manifest of ${resource.name}`} onRetry={() => void read.refetch()} />;
  if (read.isLoading) return <SkeletonRows count={6} />;
  const live = read.data?.get(digests.live);
  const wanted = read.data?.get(digests.wanted);
  if (side === "diff") return <Differences resource={resource} live={live} wanted={wanted} />;
  const manifest = side === "live" ? live : wanted;
  if (!manifest) return <NoManifest resource={resource} side={side} />;
  return <ManifestView label={`${side === "live" ? "Live" : "Wanted"} manifest of ${resource.name}`} manifest={manifest} asOf={application.receivedAt} />;
}

function Differences({ resource, live, wanted }: { resource: Resource; live: Manifest | undefined; wanted: Manifest | undefined }) {
  const [showsDefaults, setShowsDefaults] = useState(false);
  const a = live && wanted && !showsDefaults ? toYaml(onlySetFields(withoutClusterFields(live), withoutClusterFields(wanted))) : textOf(live);
  return (
    <div className="flex min-h-0 grow flex-col gap-2">
      {resource.kind === "Secret" && <Banner tone="info">Values of secrets are not shown; where they changed, their marks differ.</Banner>}
      <div className="flex flex-wrap items-center gap-x-4 text-label text-dim">
        <span>From live (−) to wanted (+).</span>
        <Switch isSelected={showsDefaults} onChange={setShowsDefaults}>Fields that Git does not set</Switch>
      </div>
      <DiffView label={`Differences of ${resource.name}`} a={a} b={textOf(wanted)} className="grow" />
    </div>
  );
}

/** Writes the part of a manifest that Git can tell. */
export function textOf(manifest: Manifest | undefined): string {
  return manifest ? toYaml(withoutClusterFields(manifest)) : "";
}

function NoManifest({ resource, side }: { resource: Resource; side: "live" | "wanted" }) {
  const { application } = useApp();
  const omission = application.status?.omissions.find((each) => each.field.includes("manifest") && each.resource?.name === resource.name && each.resource.kind === resource.kind);
  const reason = omission
    ? `It has ${omission.total} bytes, more than a report holds.`
    : side === "wanted"
      ? application.status?.desired?.reason || "Git has no manifest of it: another resource created it."
      : "Its runtime did not report one: it is not in the cluster, or of a kind that is not reported.";
  return <EmptyState title={side === "live" ? "No live manifest" : "No wanted manifest"}>{reason}</EmptyState>;
}
