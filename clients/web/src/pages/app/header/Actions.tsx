import { ApplicationActionService, RefreshKind } from "@contract/causeway/proxy/v1/application_action_service_pb";
import { ChevronDown, Ellipsis, RefreshCw } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useAction } from "@/data";
import { FailureBanner } from "@/failure";
import { notify, useCommands, useShortcuts } from "@/shell";
import { GuardedButton, IconButton, Menu, MenuItem, MenuLine } from "@/ui";
import { actions } from "@/words";
import { useApp } from "../context";
import { useCommitReason } from "../commit/useCommitReason";
import { useParam, useSetParams } from "../data/search";
import { isRunning } from "../model/facts";
import { scopeOf, withoutCluster } from "../model/names";

const SyncDialog = lazy(() => import("../sync/SyncDialog").then((module) => ({ default: module.SyncDialog })));
const DeleteDialog = lazy(() => import("./DeleteDialog").then((module) => ({ default: module.DeleteDialog })));
const CommitDialog = lazy(() => import("../commit/CommitDialog").then((module) => ({ default: module.CommitDialog })));

/** The actions of the application, each with the reason where it may not be done. */
export function Actions() {
  const { key, application, reason } = useApp();
  const [dialog, setDialog] = useParam("dialog");
  const [isMenuOpen, setMenuOpen] = useState(false);
  const setParams = useSetParams(true);
  const refresh = useRefresh();
  const terminate = useTerminate();
  const running = isRunning(application);
  const terminateReason = reason("application.terminate") ?? (running ? undefined : "No operation is running.");
  const link = () => copy(location.href, "link");
  const command = () => copy(`causeway app get ${key.runtime}/${key.namespace}/${key.name}`, "command");
  const openSync = () => setDialog("sync");
  const commitReason = useCommitReason();
  const openHistory = () => setParams({ tab: "history" });
  useShortcuts([
    { keys: "s", text: "Sync", group: "Application", run: () => !reason("application.sync") && openSync() },
    { keys: "r", text: "Refresh", group: "Application", run: () => !reason("application.refresh") && refresh.run(RefreshKind.NORMAL) },
    { keys: "R", text: "Hard refresh", group: "Application", run: () => !reason("application.refresh") && refresh.run(RefreshKind.HARD) },
    { keys: "b", text: "Roll back", group: "Application", run: openHistory },
    { keys: ".", text: "All actions", group: "Application", run: () => setMenuOpen(true) },
    { keys: "c", text: "Copy link", group: "Application", run: link },
    { keys: "C", text: "Copy CLI command", group: "Application", run: command },
  ]);
  useCommands([
    { id: "sync", text: `Sync ${key.name}`, shortcut: "s", reason: reason("application.sync"), run: openSync },
    { id: "refresh", text: `Refresh ${key.name}`, shortcut: "r", reason: reason("application.refresh"), run: () => refresh.run(RefreshKind.NORMAL) },
    { id: "hard-refresh", text: `Hard refresh ${key.name}`, shortcut: "R", reason: reason("application.refresh"), run: () => refresh.run(RefreshKind.HARD) },
    { id: "rollback", text: `Roll back ${key.name}`, shortcut: "b", reason: reason("application.rollback"), run: openHistory },
    { id: "commit", text: `Commit to Git for ${key.name}`, reason: commitReason, run: () => setDialog("commit") },
    { id: "terminate", text: `Terminate the operation of ${key.name}`, reason: terminateReason, run: terminate.run },
    { id: "delete", text: `Delete ${key.name}`, reason: reason("application.delete"), run: () => setDialog("delete") },
  ]);
  return (
    <>
      <div className="flex items-center gap-2">
        {running && <GuardedButton reason={terminateReason} tone="danger" onPress={terminate.run}>{actions.terminate}</GuardedButton>}
        <GuardedButton reason={reason("application.refresh")} icon={<RefreshCw size={14} aria-hidden />} onPress={() => refresh.run(RefreshKind.NORMAL)} isDisabled={refresh.isSending}>
          {actions.refresh}
        </GuardedButton>
        <Menu label="Refresh" trigger={<IconButton label="More ways to refresh" tone="plain" className="-ml-2 w-6! rounded-l-none! border-l-0!"><ChevronDown size={14} aria-hidden /></IconButton>}>
          <MenuItem id="normal" shortcut="r" reason={reason("application.refresh")} onAction={() => refresh.run(RefreshKind.NORMAL)}>{actions.refresh}</MenuItem>
          <MenuItem id="hard" shortcut="R" reason={reason("application.refresh")} onAction={() => refresh.run(RefreshKind.HARD)}>{actions.hardRefresh}</MenuItem>
        </Menu>
        <GuardedButton reason={reason("application.sync")} tone="accent" onPress={openSync}>{`${actions.sync}…`}</GuardedButton>
        <Menu label="Actions" isOpen={isMenuOpen} onOpenChange={setMenuOpen} trigger={<IconButton label="All actions" tone="plain"><Ellipsis size={16} aria-hidden /></IconButton>}>
          <MenuItem id="rollback" shortcut="b" reason={reason("application.rollback")} onAction={openHistory}>{`${actions.rollback}…`}</MenuItem>
          <MenuItem id="commit" reason={commitReason} onAction={() => setDialog("commit")}>Commit to Git…</MenuItem>
          <MenuItem id="terminate" reason={terminateReason} onAction={terminate.run}>{actions.terminate}</MenuItem>
          <MenuItem id="link" shortcut="c" onAction={link}>Copy link</MenuItem>
          <MenuItem id="command" shortcut="C" onAction={command}>Copy CLI command</MenuItem>
          <MenuLine />
          <MenuItem id="delete" isDanger reason={reason("application.delete")} onAction={() => setDialog("delete")}>{`${actions.delete}…`}</MenuItem>
        </Menu>
      </div>
      {refresh.problem && <div className="w-full"><FailureBanner error={refresh.problem} what={`refresh ${key.name}`} onRetry={() => void refresh.askAgain()} /></div>}
      {terminate.problem && <div className="w-full"><FailureBanner error={terminate.problem} what={`terminate the operation of ${key.name}`} onRetry={() => void terminate.askAgain()} /></div>}
      <Suspense>
        {dialog === "sync" && <SyncDialog onClose={() => setDialog(undefined)} />}
        {dialog === "commit" && <CommitDialog onClose={() => setDialog(undefined)} />}
        {dialog === "delete" && <DeleteDialog onClose={() => setDialog(undefined)} />}
      </Suspense>
    </>
  );
}

function useRefresh() {
  const { key } = useApp();
  const { run, ...action } = useAction(ApplicationActionService.method.refreshApplication, { scope: scopeOf(key) });
  return { ...action, run: (kind: RefreshKind) => void run({ ...withoutCluster(key), kind }) };
}

function useTerminate() {
  const { key } = useApp();
  const { run, ...action } = useAction(ApplicationActionService.method.terminateOperation, { scope: scopeOf(key) });
  return { ...action, run: () => void run(withoutCluster(key)) };
}

function copy(text: string, what: string) {
  void navigator.clipboard?.writeText(text).then(() => notify({ text: `Copied the ${what}.`, state: "healthy" }, "copied"));
}
