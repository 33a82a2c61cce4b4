import { Code } from "@connectrpc/connect";
import { HealthStatus } from "@contract/causeway/inventory/v1/application_pb";
import { Connection } from "@contract/causeway/platform/v1/runtime_service_pb";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense, useMemo } from "react";
import { type ApplicationKey, type CallError, useApplication, useCan, useRuntimes } from "@/data";
import { FailureState } from "@/failure";
import { formatClock } from "@/format";
import { Page } from "@/shell";
import { Banner, EmptyState, Link, SkeletonRows } from "@/ui";
import { AppContext, type AppView, permissions } from "./context";
import { useLiveApplication } from "./data/live";
import { useParam } from "./data/search";
import { Header } from "./header/Header";
import { AppTabs } from "./AppTabs";

const ResourceDrawer = lazy(() => import("./drawer/ResourceDrawer").then((module) => ({ default: module.ResourceDrawer })));

/** One application: what is wrong and why, and everything of it. */
export default function AppPage() {
  const key = useParams({ strict: false }) as ApplicationKey;
  const [atText] = useParam("at");
  const at = parseTime(atText);
  const live = useLiveApplication(key);
  const past = useApplication(key, at, { enabled: at !== undefined, keepsPrevious: true });
  const shown = at === undefined ? live : past;
  const application = shown.data?.application;
  const view = useView(key, application, at);
  const crumbs = [{ text: key.runtime, to: `/apps?runtime=${encodeURIComponent(key.runtime)}` }, { text: key.name }];

  if (!view) {
    return (
      <Page title={key.name} hideTitle crumbs={crumbs}>
        {shown.error ? <NotShown error={shown.error} name={key.name} onRetry={() => void shown.refetch()} /> : <SkeletonRows count={12} />}
      </Page>
    );
  }
  return (
    <AppContext value={view}>
      <Page title={key.name} hideTitle badge={badgeOf(view)} crumbs={crumbs} isFixed drawer={(target, close) => <Suspense><ResourceDrawer target={target} onClose={close} /></Suspense>}>
        {live.isDeleted && <Banner tone="warn">{key.name} was deleted. This is its last state.</Banner>}
        <Header />
        <AppTabs />
      </Page>
    </AppContext>
  );
}

function NotShown({ error, name, onRetry }: { error: CallError; name: string; onRetry: () => void }) {
  if (error.code !== Code.NotFound) return <FailureState error={error} what={`show ${name}`} onRetry={onRetry} />;
  return (
    <EmptyState title={`No application ${name}`} action={<Link to="/apps">All applications</Link>}>
      It does not exist, it was deleted, or your roles do not include it.
    </EmptyState>
  );
}

const noResources: AppView["resources"] = [];

function useView(key: ApplicationKey, application: AppView["application"] | undefined, at: number | undefined): AppView | undefined {
  const { runtimes } = useRuntimes();
  const target = { runtime: key.runtime, cluster: key.cluster, namespace: key.namespace, name: key.name, project: application?.spec?.project ?? "", labels: application?.labels ?? {} };
  const can = useCan(permissions, application ? [target] : []);
  const runtime = runtimes?.find(({ name }) => name === key.runtime);
  const isSilent = runtime?.connection === Connection.OFFLINE || runtime?.connection === Connection.REVOKED;
  const isUnreachable = isSilent || runtime?.connection === Connection.REPORTING;
  return useMemo(() => {
    if (!application) return undefined;
    const reason = (permission: string) => {
      if (at !== undefined) return `You look at ${formatClock(at)}; nothing here acts.`;
      const decision = can(permission);
      if (decision.allowed === false) return `${decision.reason} (${permission})`;
      return isUnreachable ? `${key.runtime} is not connected, so no action reaches it.` : undefined;
    };
    return { key, application, resources: application.status?.resources ?? noResources, at, isSilent, can, reason };
  }, [key, application, at, isSilent, isUnreachable, can]);
}

function badgeOf({ application, isSilent }: AppView): string | undefined {
  if (isSilent) return "◌";
  const health = application.status?.health?.status;
  if (health === HealthStatus.DEGRADED) return "▲";
  return health === HealthStatus.MISSING ? "✕" : undefined;
}

/** Reads the time of ?at=; what is no time is as if it were not there. */
function parseTime(text: string | undefined): number | undefined {
  const at = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
