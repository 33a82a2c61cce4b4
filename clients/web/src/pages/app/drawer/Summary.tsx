import type { Resource } from "@contract/causeway/inventory/v1/application_pb";
import type { ReactNode } from "react";
import { Elapsed, Name, plural, Time } from "@/format";
import { StateMark } from "@/state";
import { useDrawer } from "@/shell";
import { Banner, Button, CopyButton, ExternalLink } from "@/ui";
import { useApp } from "../context";
import { toHex, useManifestsOf } from "../data/manifests";
import type { Json } from "../diff/yaml";
import { resourceKey, resourceState, resourceSync } from "../model/resource";

/** Why a resource is as it is, and what belongs to it. */
export function Summary({ resource }: { resource: Resource }) {
  const { application, resources } = useApp();
  const state = resourceState(resource);
  const sync = resourceSync(resource);
  const owners = resources.filter(({ uid }) => uid && resource.parentUids.includes(uid));
  const children = resources.filter(({ parentUids }) => resource.uid && parentUids.includes(resource.uid));
  const outcome = application.status?.operation?.resources.find((each) => each.kind === resource.kind && each.name === resource.name && each.namespace === resource.namespace && each.group === resource.group);
  return (
    <div className="flex flex-col gap-4">
      {resource.health?.message && (
        <Banner tone={state === "healthy" ? "info" : state === "progressing" ? "warn" : "bad"}>
          <span className="break-words whitespace-pre-wrap">{resource.health.message}</span>
        </Banner>
      )}
      {resource.requiresPruning && <Banner tone="warn">It is in the cluster but no longer in Git. A sync with prune deletes it.</Banner>}
      <dl className="grid grid-cols-[112px_1fr] gap-x-3 gap-y-1.5">
        <Fact name="Health">{state ? <><StateMark state={state} />{resource.health?.since && <span className="text-label text-dim"> for <Elapsed since={resource.health.since} /></span>}</> : "This kind has none"}</Fact>
        <Fact name="Sync">{sync ? <StateMark state={sync} /> : "Not in Git"}</Fact>
        {outcome && <Fact name="Last sync">{outcome.status}{outcome.message && `: ${outcome.message}`}</Fact>}
        <Fact name="Kind"><code className="font-mono text-label">{resource.group ? `${resource.group}/` : ""}{resource.version} {resource.kind}</code></Fact>
        {resource.namespace && <Fact name="Namespace">{resource.namespace}</Fact>}
        {resource.createdAt && <Fact name="Created"><Time at={resource.createdAt} /></Fact>}
        {(resource.syncWave !== 0 || resource.hook) && <Fact name="Wave">{resource.syncWave}{resource.hook && ", hook"}</Fact>}
        {resource.info.map(({ name, value }) => <Fact key={name} name={name}>{value}</Fact>)}
        {owners.length > 0 && <Fact name="Owner"><Related resources={owners} /></Fact>}
        {children.length > 0 && <Fact name={plural(children.length, "child", "children")}><Related resources={children} /></Fact>}
        {resource.uid && <Fact name="UID"><span className="flex items-center gap-1"><code className="truncate font-mono text-label">{resource.uid}</code><CopyButton text={resource.uid} what="uid" /></span></Fact>}
      </dl>
      <Images images={resource.images} />
      <Addresses resource={resource} />
      <Conditions resource={resource} />
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="truncate text-dim" title={name}>{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

/** Related resources beyond these are counted. */
const SHOWN = 12;

function Related({ resources }: { resources: readonly Resource[] }) {
  const drawer = useDrawer();
  return (
    <span className="flex min-w-0 flex-col items-start gap-0.5">
      {resources.slice(0, SHOWN).map((each) => {
        const state = resourceState(each);
        return (
          <Button key={resourceKey(each)} tone="quiet" className="-ml-2 h-6! max-w-full min-w-0" onPress={() => drawer.open(resourceKey(each))}>
            {state && <StateMark state={state}>{""}</StateMark>}
            <span className="shrink-0">{each.kind}</span> <Name>{each.name}</Name>
          </Button>
        );
      })}
      {resources.length > SHOWN && <span className="text-dim">and {resources.length - SHOWN} more</span>}
    </span>
  );
}

function Images({ images }: { images: readonly string[] }) {
  if (images.length === 0) return null;
  return (
    <Part title="Images">
      {images.map((image) => (
        <div key={image} className="flex min-w-0 items-center gap-1">
          <code className="min-w-0 truncate font-mono text-label" title={image}>{image}</code>
          <CopyButton text={image} what="image" />
        </div>
      ))}
    </Part>
  );
}

function Addresses({ resource }: { resource: Resource }) {
  const { externalUrls = [], ingress = [] } = resource.network ?? {};
  if (externalUrls.length + ingress.length === 0) return null;
  return (
    <Part title="Addresses">
      {externalUrls.map((url) => <div key={url}><ExternalLink href={url}>{url}</ExternalLink></div>)}
      {ingress.map((address) => <div key={address}><code className="font-mono text-label">{address}</code></div>)}
    </Part>
  );
}

/** The conditions of the live manifest's status. */
function Conditions({ resource }: { resource: Resource }) {
  const { key, at } = useApp();
  const digest = toHex(resource.liveDigest);
  const { data } = useManifestsOf(key, [digest], at);
  const status = data?.get(digest)?.["status"];
  const conditions = conditionsOf(status);
  if (conditions.length === 0) return null;
  return (
    <Part title="Conditions">
      <ul className="flex flex-col gap-1">
        {conditions.map(({ type, status, reason, message }, index) => (
          <li key={index} className="flex flex-wrap gap-x-2">
            <span className="font-medium">{type}</span>
            <span className="text-dim">{status}{reason && `, ${reason}`}</span>
            {message && <span className="w-full text-label break-words text-dim">{message}</span>}
          </li>
        ))}
      </ul>
    </Part>
  );
}

interface KubernetesCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

function conditionsOf(status: Json | undefined): KubernetesCondition[] {
  const list = isObject(status) ? status["conditions"] : undefined;
  if (!Array.isArray(list)) return [];
  const text = (value: Json | undefined) => (typeof value === "string" ? value : "");
  return list.filter(isObject).map((each) => ({ type: text(each["type"]), status: text(each["status"]), reason: text(each["reason"]), message: text(each["message"]) }));
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1">
      <h3 className="text-label font-semibold text-dim">{title}</h3>
      {children}
    </section>
  );
}
