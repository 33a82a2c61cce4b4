import type { Resource } from "@contract/causeway/inventory/v1/application_pb";
import { lazy, Suspense } from "react";
import { Name } from "@/format";
import { StateMark } from "@/state";
import { Drawer, EmptyState, SkeletonRows, Tabs } from "@/ui";
import { useApp } from "../context";
import { useParam } from "../data/search";
import { parseResourceKey, resourceKey, resourceState } from "../model/resource";
import { EventList } from "./EventList";
import { ResourceActions } from "./ResourceActions";
import { Manifests } from "./Manifests";
import { Summary } from "./Summary";


const Logs = lazy(() => import("../logs/Logs"));
const Terminal = lazy(() => import("../terminal/Terminal"));

/** Kinds whose pods can be read and entered. */
const workloads = ["Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "Rollout", "ReplicationController"];

/** One resource of the application, beside the page. */
export function ResourceDrawer({ target, onClose }: { target: string; onClose: () => void }) {
  const { resources } = useApp();
  const wanted = parseResourceKey(target);
  const resource = wanted && resources.find((each) => resourceKey(each) === resourceKey(wanted));
  if (!wanted || !resource) {
    return (
      <Drawer title={wanted?.name ?? target} label="Resource" onClose={onClose}>
        <EmptyState title="This resource is not in the application">It was deleted, or the application shows another time.</EmptyState>
      </Drawer>
    );
  }
  const state = resourceState(resource);
  const title = (
    <span className="flex min-w-0 items-center gap-3">
      <Name>{resource.name}</Name>
      <span className="shrink-0 text-body font-normal text-dim">{resource.kind}</span>
      {state && <StateMark state={state} className="text-body font-normal" />}
    </span>
  );
  return (
    <Drawer title={title} label={`${resource.kind} ${resource.name}`} onClose={onClose} actions={<ResourceActions resource={resource} />}>
      <DrawerTabs key={target} resource={resource} />
    </Drawer>
  );
}

function DrawerTabs({ resource }: { resource: Resource }) {
  const [tab = "summary", setTab] = useParam("part");
  const tabs = [
    { id: "summary", text: "Summary" },
    { id: "live", text: "Live" },
    ...(resource.desiredDigest.length > 0 ? [{ id: "wanted", text: "Wanted" }, { id: "diff", text: "Diff" }] : []),
    { id: "events", text: "Events" },
    ...(workloads.includes(resource.kind) ? [{ id: "logs", text: "Logs" }, { id: "terminal", text: "Terminal" }] : []),
  ];
  const open = tabs.some(({ id }) => id === tab) ? tab : "summary";
  return (
    <Tabs label={`Parts of ${resource.name}`} tabs={tabs} value={open} onChange={setTab}>
      <Suspense fallback={<SkeletonRows count={4} />}>
        {open === "summary" && <Summary resource={resource} />}
        {(open === "live" || open === "wanted" || open === "diff") && <Manifests resource={resource} side={open} />}
        {open === "events" && <EventList resource={resource} />}
        {open === "logs" && <Logs resource={resource} />}
        {open === "terminal" && <Terminal resource={resource} />}
      </Suspense>
    </Tabs>
  );
}
