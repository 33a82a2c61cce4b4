import { useState } from "react";
import { plainLine } from "@/format";
import { healthState, StateShape } from "@/state";
import { Button, classes } from "@/ui";
import { useDrawer } from "@/shell";
import { useApp } from "../context";
import { useParam } from "../data/search";
import { causesOf, type Cause } from "../model/facts";
import { resourceKey, resourceState } from "../model/resource";

/** Causes beyond the first are shown on request. */
const SHOWN = 1;

/** The sentences that explain the state, with the way to what they are about. */
export function Causes() {
  const { application, isSilent } = useApp();
  const [isOpen, setOpen] = useState(false);
  const causes = causesOf(application);
  if (causes.length === 0) return null;
  const shown = isOpen ? causes : causes.slice(0, SHOWN);
  return (
    <div role="status" className={classes("flex flex-col gap-1 rounded-card px-3 py-1.5", isSilent ? "bg-unknown-fill" : isOnItsWay(causes) ? "bg-accent-fill" : "bg-bad-fill")}>
      {shown.map((cause, index) => <CauseLine key={index} cause={cause} />)}
      {causes.length > SHOWN && (
        <button type="button" onClick={() => setOpen(!isOpen)} className="self-start rounded-control text-label text-dim hover:text-text">
          {isOpen ? "Show less" : `${causes.length - SHOWN} more`}
        </button>
      )}
    </div>
  );
}

/** Progress with a message is no failure. */
function isOnItsWay(causes: readonly Cause[]): boolean {
  return causes.every(({ from, resource }) => from === "resource" && resource !== undefined && resourceState(resource) === "progressing");
}

function CauseLine({ cause }: { cause: Cause }) {
  const drawer = useDrawer();
  const [, setTab] = useParam("tab", true);
  const { resource } = cause;
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <StateShape state={resource ? healthState(resource.health?.status) : "degraded"} />
      <span className="line-clamp-3 min-w-0 grow basis-60 break-words" title={cause.text}>{plainLine(cause.text)}</span>
      <span className="flex shrink-0 gap-1">
        {resource && <Button tone="quiet" onPress={() => drawer.open(resourceKey(resource))}>{resource.kind}</Button>}
        {resource && <Button tone="quiet" onPress={() => setTab("events")}>Events</Button>}
        {resource?.kind === "Pod" && <Button tone="quiet" onPress={() => setTab("logs")}>Logs</Button>}
        {cause.from === "operation" && <Button tone="quiet" onPress={() => setTab("timeline")}>Timeline</Button>}
      </span>
    </div>
  );
}
