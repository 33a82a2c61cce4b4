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
const EventsTab = lazy(() => import("./drawer/EventsTab"));

const panels: Record<string, ComponentType> = {
  tree: TreeTab,
  list: ListTab,
  network: NetworkTab,
  diff: DiffTab,
  events: EventsTab,
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
    { id: "events", text: "Events" },
  ];
  useShortcuts([
    { keys: "t", text: "Tree", group: "Application", run: () => setTab("tree") },
    { keys: "d", text: "Diff", group: "Application", run: () => setTab("diff") },
  ]);
  return (
    <Tabs label="Parts of the application" tabs={tabs.filter((each) => each !== false)} value={open} onChange={setTab} className="flex min-h-0 grow flex-col pt-2">
      <Suspense fallback={<SkeletonRows />}>
        <Panel />
      </Suspense>
    </Tabs>
  );
}
