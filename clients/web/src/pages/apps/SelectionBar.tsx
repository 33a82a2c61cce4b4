import { X } from "lucide-react";
import { useCan } from "@/data";
import { formatCount } from "@/format";
import { Button, CopyButton, GuardedButton, IconButton, Menu, MenuItem } from "@/ui";
import { permissionOf, type BatchKind } from "./batchKinds";
import { appCommand, download, toCsv } from "./commandLine";
import { MOST_SELECTED, type Selection } from "./selection";

/** What can be done to the selected applications; it pushes the list up and covers no row. */
export function SelectionBar({ selection, onBatch }: { selection: Selection; onBatch: (kind: BatchKind) => void }) {
  const { selected, clear } = selection;
  const [first] = selected;
  const target = first ? { runtime: first.runtime, cluster: first.cluster, project: first.project, namespace: first.namespace, name: first.name } : {};
  const can = useCan(["application.sync", "application.refresh"], selected.length === 1 ? [target] : []);
  const reason = (kind: BatchKind) => {
    const decision = can(permissionOf[kind]);
    return decision.allowed === false ? decision.reason : undefined;
  };
  const exportAs = (kind: "csv" | "json") =>
    kind === "csv" ? download("applications.csv", "text/csv", toCsv(selected)) : download("applications.json", "application/json", JSON.stringify(selected, null, 2));
  return (
    <div role="region" aria-label="Selection" className="flex shrink-0 flex-wrap items-center gap-2 border-t border-line bg-panel px-3 py-2 max-wide:-mx-4">
      <span className="numbers font-medium">{formatCount(selected.length)} selected{selected.length >= MOST_SELECTED && ", no more at once"}</span>
      <GuardedButton reason={reason("sync")} onPress={() => onBatch("sync")}>Sync…</GuardedButton>
      <GuardedButton reason={reason("refresh")} onPress={() => onBatch("refresh")}>Refresh</GuardedButton>
      <GuardedButton reason={reason("hardRefresh")} onPress={() => onBatch("hardRefresh")}>Hard refresh</GuardedButton>
      <span className="max-wide:hidden"><CopyButton text={appCommand("sync", selected)} what="command">Copy CLI</CopyButton></span>
      <Menu label="Export" trigger={<Button className="max-wide:hidden">Export</Button>} placement="top start" onAction={(key) => exportAs(key === "csv" ? "csv" : "json")}>
        <MenuItem id="csv">As CSV</MenuItem>
        <MenuItem id="json">As JSON</MenuItem>
      </Menu>
      <span className="grow" />
      <IconButton label="Clear the selection" onPress={clear}><X size={16} aria-hidden /></IconButton>
    </div>
  );
}
