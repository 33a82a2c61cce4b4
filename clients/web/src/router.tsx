import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from "@tanstack/react-router";
import { parseSearch, stringifySearch, type Search } from "./search";
import { PageBoundary, PageLoadError } from "./failure/PageBoundary";
import { NotFound } from "./shell/NotFound";
import { Shell } from "./shell/Shell";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  validateSearch: (search: Record<string, unknown>) => search as Search,
});

type PageModule = () => Promise<{ default: RouteComponent }>;

/** A page, loaded when it is first shown or hovered. */
function page<const Path extends string>(path: Path, load: PageModule) {
  return createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(() => load().catch(failToLoad)) });
}

/** The router would reload by itself where a file is missing, and what was typed would be lost. */
function failToLoad(cause: unknown): never {
  throw new PageLoadError(cause);
}

const routes = [
  page("/", () => import("./pages/home/HomePage")),
  page("/apps", () => import("./pages/apps/AppsPage")),
  page("/apps/$runtime/$cluster/$namespace/$name", () => import("./pages/app/AppPage")),
  page("/deployments", () => import("./pages/deployments/DeploymentsPage")),
  page("/images", () => import("./pages/images/ImagesPage")),
  page("/workflows", () => import("./pages/workflows/WorkflowsPage")),
  page("/workflows/$runtime/$cluster/$namespace/$name", () => import("./pages/workflow/WorkflowPage")),
  page("/runtimes", () => import("./pages/runtimes/RuntimesPage")),
  page("/runtimes/$name", () => import("./pages/runtime/RuntimePage")),
  page("/runtimes/$name/integrations", () => import("./pages/integrations/IntegrationsPage")),
  page("/runtimes/$name/integrations/$integration", () => import("./pages/pulls/PullRequestsPage")),
  page("/runtimes/$name/webhooks", () => import("./pages/webhooks/WebhooksPage")),
  page("/join", () => import("./pages/join/JoinPage")),
  page("/clusters", () => import("./pages/clusters/ClustersPage")),
  page("/people", () => import("./pages/people/PeoplePage")),
  page("/audit", () => import("./pages/audit/AuditPage")),
  page("/settings", () => import("./pages/settings/SettingsPage")),
  page("/sign-in", () => import("./pages/sign-in/SignInPage")),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultPreloadDelay: 60,
  scrollRestoration: true,
  defaultErrorComponent: PageBoundary,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
