/** The frame of the UI; pages use Page and useDrawer. */
export { useSetCrumbs, type Crumb } from "./crumbs";
export { setFacts } from "./facts";
export { setFreshness, type Freshness } from "./freshness";
export { Page, type PageProps } from "./Page";
export { useDrawer } from "./PageDrawer";
