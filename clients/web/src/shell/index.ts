/** The frame of the UI; pages use Page, useDrawer, useShortcuts, useCommands and notify. */
export { useCommands, type PageCommand } from "@/commands/pageCommands";
export { useSetCrumbs, type Crumb } from "./crumbs";
export { setFacts } from "./facts";
export { setFreshness, type Freshness } from "./freshness";
export { Page, type PageProps } from "./Page";
export { useDrawer } from "./PageDrawer";
export { useShortcuts, type Shortcut } from "./shortcuts";
export { dismiss, notify, type Toast } from "./toasts";
