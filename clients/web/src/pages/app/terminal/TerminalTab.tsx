import { EmptyState, Select } from "@/ui";
import { useApp } from "../context";
import { useParam } from "../data/search";
import { resourceKey, resourceState } from "../model/resource";
import { states } from "@/words";
import Terminal from "./Terminal";

/** A shell in one of the application's pods. */
export default function TerminalTab() {
  const { resources, at } = useApp();
  const [chosen, setChosen] = useParam("pod");
  const pods = resources.filter(({ kind }) => kind === "Pod");
  if (at !== undefined) return <EmptyState title="A terminal is of now">Go back to now to open one.</EmptyState>;
  const pod = pods.find((each) => resourceKey(each) === chosen) ?? pods.find((each) => resourceState(each) === "healthy") ?? pods[0];
  if (!pod) return <EmptyState title="No pod">The application runs no pod, so there is nothing to enter.</EmptyState>;
  return (
    <Terminal key={resourceKey(pod)} resource={pod}>
      <Select label="Pod" className="w-72 max-w-full" value={resourceKey(pod)} onChange={setChosen} choices={pods.map((each) => ({ key: resourceKey(each), text: each.name, note: states[resourceState(each) ?? "unknown"].word }))} />
    </Terminal>
  );
}
