import { ArrowRight, Globe } from "lucide-react";
import { useMemo, useState } from "react";
import { Name, plural } from "@/format";
import { StateShape } from "@/state";
import { useDrawer } from "@/shell";
import { Button, classes, EmptyState, ExternalLink } from "@/ui";
import { useApp } from "../context";
import { isBroken, resourceKey, resourceState, shortFacts } from "../model/resource";
import { deadEndReason, isDeadEnd, waysOf, type Hop } from "./network";

/** How traffic reaches the pods: from outside over services. */
export default function NetworkTab() {
  const { resources, application } = useApp();
  const ways = useMemo(() => waysOf(resources), [resources]);
  const urls = application.status?.externalUrls ?? [];
  const isReported = resources.some(({ network }) => network !== undefined);
  if (ways.length === 0) return <EmptyState title="No traffic">The application has no ingress, gateway or service.</EmptyState>;
  return (
    <div className="flex min-h-0 grow flex-col gap-3 overflow-auto">
      {urls.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-3">
          <Globe size={14} aria-hidden className="text-dim" />
          {urls.map((url) => <ExternalLink key={url} href={url}>{url}</ExternalLink>)}
        </p>
      )}
      {!isReported && <p className="text-dim">The runtime does not report where traffic goes; services are listed without their pods.</p>}
      <ul className="flex flex-col gap-2">
        {ways.map((way) => (
          <li key={resourceKey(way.resource)} className="rounded-card border border-line p-3">
            <HopView hop={way} isReported={isReported} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Pods beyond these are counted. */
const SHOWN = 8;

function HopView({ hop, isReported }: { hop: Hop; isReported: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const dead = isReported && isDeadEnd(hop);
  const targets = isOpen ? hop.targets : hop.targets.filter(({ resource }, index) => index < SHOWN || isBroken(resource));
  const hidden = hop.targets.length - targets.length;
  return (
    <div className="flex flex-wrap items-start gap-3">
      <Box hop={hop} isDead={dead} />
      {(targets.length > 0 || dead) && <ArrowRight size={16} aria-hidden className="mt-3.5 shrink-0 text-field" />}
      {dead && <span role="status" className="mt-2.5 flex items-center gap-1.5 text-bad"><StateShape state="missing" />{deadEndReason(hop)}</span>}
      {targets.length > 0 && (
        <ul className="flex flex-col gap-2">
          {targets.map((target) => <li key={resourceKey(target.resource)}><HopView hop={target} isReported={isReported} /></li>)}
          {hidden > 0 && <li><Button tone="quiet" onPress={() => setOpen(true)}>{plural(hidden, "more target")}</Button></li>}
        </ul>
      )}
    </div>
  );
}

function Box({ hop: { resource }, isDead }: { hop: Hop; isDead: boolean }) {
  const drawer = useDrawer();
  const state = resourceState(resource);
  const addresses = resource.network?.ingress ?? [];
  return (
    <button
      type="button"
      onClick={() => drawer.open(resourceKey(resource))}
      className={classes("flex w-56 max-w-full flex-col rounded-card border bg-bg px-2.5 py-1 text-left leading-4 hover:border-field", isDead || isBroken(resource) ? "border-bad" : "border-edge")}
    >
      <span className="flex w-full min-w-0 items-center gap-1.5 font-medium">
        {state && <StateShape state={state} />}
        <Name>{resource.name}</Name>
      </span>
      <span className="flex gap-1.5 text-label text-dim">{resource.kind} <span className="numbers">{shortFacts(resource)}</span></span>
      {addresses.map((address) => <code key={address} className="truncate font-mono text-label text-dim">{address}</code>)}
    </button>
  );
}
