import { lazy, Suspense, type ComponentType } from "react";
import { useShortcuts } from "@/shell";
import { SkeletonRows, Tabs, type TabChoice } from "@/ui";
import { useApp } from "./context";
import { useParam } from "./data/search";
import { countOutOfSync } from "./model/facts";
import { TreeTab } from "./tree/TreeTab";
import { ListTab } from "./list/ListTab";

const NetworkTab = lazy(() => import("./network/NetworkTab"));
const DiffTab = lazy(() => import("./diff/DiffTab"));
const LogsTab = lazy(() => import("./logs/LogsTab"));
const TerminalTab = lazy(() => import("./terminal/TerminalTab"));
const TimelineTab = lazy(() => import("./history/TimelineTab"));
const RolloutTab = lazy(() => import("./rollout/RolloutTab"));
const ParametersTab = lazy(() => import("./parameters/ParametersTab"));
const HistoryTab = lazy(() => import("./history/HistoryTab"));
const EventsTab = lazy(() => import("./drawer/EventsTab"));

const panels: Record<string, ComponentType> = {
  tree: TreeTab,
  list: ListTab,
  network: NetworkTab,
  diff: DiffTab,
  logs: LogsTab,
  terminal: TerminalTab,
  events: EventsTab,
  timeline: TimelineTab,
  rollout: RolloutTab,
  parameters: ParametersTab,
  history: HistoryTab,
};

/** On small screens the list stands for the tree at first. */
const firstTab = () => (matchMedia("(max-width: 639px)").matches ? "list" : "tree");

/** The parts of the application; the open one is in the URL. */
export function AppTabs() {
  const { resources } = useApp();
  const [tab, setTab] = useParam("tab", true);
  const open = tab !== undefined && Object.hasOwn(panels, tab) ? tab : firstTab();
  const Panel = panels[open] ?? TreeTab;
  const differing = countOutOfSync(resources);
  const tabs: (TabChoice | false)[] = [
    { id: "tree", text: "Tree" },
    { id: "list", text: "List", count: resources.length },
    { id: "network", text: "Network" },
    { id: "diff", text: "Diff", count: differing || undefined },
    { id: "logs", text: "Logs" },
    { id: "terminal", text: "Terminal" },
    { id: "events", text: "Events" },
    { id: "timeline", text: "Timeline" },
    resources.some(({ kind }) => kind === "Rollout") && { id: "rollout", text: "Rollout" },
    { id: "parameters", text: "Parameters" },
    { id: "history", text: "History" },
  ];
  useShortcuts([
    { keys: "t", text: "Tree", group: "Application", run: () => setTab("tree") },
    { keys: "d", text: "Diff", group: "Application", run: () => setTab("diff") },
    { keys: "l", text: "Logs", group: "Application", run: () => setTab("logs") },
    { keys: "y", text: "History", group: "Application", run: () => setTab("history") },
  ]);
  return (
    <Tabs label="Parts of the application" tabs={tabs.filter((each) => each !== false)} value={open} onChange={setTab} className="flex min-h-0 grow flex-col pt-2">
      <Suspense fallback={<SkeletonRows />}>
        <Panel />
      </Suspense>
    </Tabs>
  );
}
