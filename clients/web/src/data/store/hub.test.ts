import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApplicationSchema, HealthStatus, type Application } from "@contract/causeway/inventory/v1/application_pb";
import { ApplicationService, ApplicationSort } from "@contract/causeway/inventory/v1/application_service_pb";
import { ViewService, type WatchViewsRequest, type WatchViewsResponseSchema } from "@contract/causeway/inventory/v1/view_service_pb";
import { ErrorInfoSchema } from "@contract/google/rpc/error_details_pb";
import type { Freshness } from "@/shell/freshness";
import { Hub } from "./hub";
import type { ToPage, ViewSpec, WindowUpdate } from "./protocol";

type Response = MessageInitShape<typeof WatchViewsResponseSchema>;

/** The platform, in memory: a list, and a stream that the test feeds and cuts. */
class Platform {
  applications: Application[] = [];
  lists = 0;
  watches: WatchViewsRequest[] = [];
  open = 0;
  private feed: ((next: Response | Error) => void) | undefined;

  constructor(count: number) {
    this.applications = Array.from({ length: count }, (_, index) => application(String(index).padStart(5, "0")));
  }

  readonly transport = createRouterTransport(({ service }) => {
    service(ApplicationService, {
      listApplications: ({ offset, pageSize }) => {
        this.lists++;
        return { applications: this.applications.slice(offset, offset + pageSize), total: BigInt(this.applications.length), cursor: `list-${this.lists}` };
      },
    });
    service(ViewService, {
      watchViews: (request, { signal }) => this.watch(request, signal),
    });
  });

  /** Changes an application and tells it. */
  change(index: number, health: HealthStatus, place = 0) {
    const before = this.applications[index];
    if (!before) throw new Error("no such application");
    const updated = application(before.name, before.resourceVersion + 1n, health);
    this.applications[index] = updated;
    const id = this.watches.at(-1)?.views[place]?.id ?? "";
    this.feed?.({ id, changes: [{ change: { case: "updated", value: updated } }], total: BigInt(this.applications.length), cursor: `stream-${index}` });
  }

  cut(error: Error) {
    this.feed?.(error);
  }

  private async *watch(request: WatchViewsRequest, signal: AbortSignal): AsyncGenerator<Response> {
    this.watches.push(request);
    this.open++;
    const queue: (Response | Error)[] = [];
    let wake = () => {};
    this.feed = (next) => (queue.push(next), wake());
    signal.addEventListener("abort", () => wake());
    try {
      for (const { id, cursor } of request.views) yield { id, cursor, total: BigInt(this.applications.length) };
      while (!signal.aborted) {
        const next = queue.shift();
        if (next instanceof Error) throw next;
        if (next) yield next;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.open--;
    }
  }
}

function application(name: string, resourceVersion = 1n, health = HealthStatus.HEALTHY): Application {
  const names = { runtime: "local", cluster: "in-cluster", namespace: "argocd", name };
  return create(ApplicationSchema, { ...names, uid: name, resourceVersion, status: { health: { status: health } } });
}

function refusal(code: Code, reason: string) {
  return new ConnectError(reason, code, undefined, [{ desc: ErrorInfoSchema, value: { domain: "causeway", reason } }]);
}

/** A tab: keeps the rows it was told, and counts the posts. */
class Tab {
  rows = new Map<number, HealthStatus>();
  posts = 0;
  last: WindowUpdate | undefined;
  freshness: Freshness[] = [];
  isSignedOut = false;
  /** What was told of the application that it follows. */
  told: (HealthStatus | "deleted" | undefined)[] = [];
  readonly port;

  constructor(readonly hub: Hub) {
    this.port = hub.connect((message) => this.receive(structuredClone(message)));
  }

  open(spec: ViewSpec, from = 0, to = 60, id = 1) {
    this.hub.receive(this.port, { kind: "open", id, spec, from, to });
  }

  private receive(message: ToPage) {
    if (message.kind === "freshness") this.freshness.push(message.freshness);
    if (message.kind === "signed-out") this.isSignedOut = true;
    if (message.kind === "application") this.told.push(message.update.kind === "deleted" ? "deleted" : message.update.application.status?.health?.status);
    if (message.kind !== "windows") return;
    this.posts++;
    for (const update of message.windows) {
      this.last = update;
      for (const index of this.rows.keys()) if (index < update.from || index >= update.to) this.rows.delete(index);
      for (const [index, row] of update.rows) if (row) this.rows.set(index, row.health);
    }
  }
}

const byName: ViewSpec = { filter: {}, sort: ApplicationSort.NAME, descending: false };
const byHealth: ViewSpec = { filter: {}, sort: ApplicationSort.HEALTH, descending: false };
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the window store", () => {
  it("shows the first rows, knows the total, and loads far pages by offset", async () => {
    const platform = new Platform(5_000);
    const tab = new Tab(new Hub(platform.transport));
    tab.open(byName);
    await pass(50);
    expect([tab.last?.total, tab.rows.size]).toEqual([5_000, 60]);
    tab.hub.receive(tab.port, { kind: "show", id: 1, from: 4_000, to: 4_060 });
    await pass(50);
    expect([...tab.rows.keys()]).toEqual(Array.from({ length: 60 }, (_, index) => 4_000 + index));
  });

  it("opens one stream for two tabs, which both hear a change", async () => {
    const platform = new Platform(50);
    const hub = new Hub(platform.transport);
    const tabs = [new Tab(hub), new Tab(hub)];
    for (const tab of tabs) tab.open(byName);
    await pass(50);
    platform.change(3, HealthStatus.DEGRADED);
    await pass(300);
    expect(tabs.map((tab) => tab.rows.get(3))).toEqual([HealthStatus.DEGRADED, HealthStatus.DEGRADED]);
    expect([platform.open, platform.watches.length]).toEqual([1, 1]);
    expect(platform.watches[0]?.views[0]?.cursor).toBe("list-1");
  });

  it("posts changes at most four times a second, and none to a hidden tab until it is looked at", async () => {
    const platform = new Platform(50);
    const hub = new Hub(platform.transport);
    const [shown, hidden] = [new Tab(hub), new Tab(hub)];
    for (const tab of [shown, hidden]) tab.open(byName);
    await pass(300);
    hub.receive(hidden.port, { kind: "visible", visible: false });
    const before = [shown.posts, hidden.posts];
    for (let round = 0; round < 200; round++) {
      platform.change(round % 50, round % 2 ? HealthStatus.DEGRADED : HealthStatus.MISSING);
      await pass(10);
    }
    expect(shown.posts - (before[0] ?? 0)).toBeLessThanOrEqual(9);
    expect(shown.posts - (before[0] ?? 0)).toBeGreaterThanOrEqual(7);
    expect(hidden.posts).toBe(before[1]);
    hub.receive(hidden.port, { kind: "visible", visible: true });
    expect(hidden.posts).toBe((before[1] ?? 0) + 1);
    expect(hidden.rows.get(49)).toBe(HealthStatus.DEGRADED);
  });

  it("takes a lost stream up again at its cursor and tells since when it was lost", async () => {
    const platform = new Platform(50);
    const tab = new Tab(new Hub(platform.transport));
    tab.open(byName);
    await pass(50);
    platform.change(7, HealthStatus.DEGRADED);
    await pass(50);
    platform.cut(new ConnectError("gone", Code.Unavailable));
    await pass(1);
    expect(tab.freshness.at(-1)?.kind).toBe("reconnecting");
    await pass(300);
    expect(platform.watches.at(-1)?.views[0]?.cursor).toBe("stream-7");
    expect(tab.freshness.at(-1)?.kind).toBe("live");
    expect(platform.lists).toBe(1);
  });

  it("takes a stream for dead after 30 s of silence", async () => {
    const platform = new Platform(50);
    const tab = new Tab(new Hub(platform.transport));
    tab.open(byName);
    await pass(29_000);
    expect(platform.watches).toHaveLength(1);
    await pass(8_000);
    expect(platform.watches).toHaveLength(2);
    expect(platform.open).toBe(1);
  });

  it.each(["CURSOR_EXPIRED", "SCOPE_CHANGED"])("reads its windows again after %s", async (reason) => {
    const platform = new Platform(50);
    const tab = new Tab(new Hub(platform.transport));
    tab.open(byName);
    await pass(50);
    platform.applications = platform.applications.slice(0, 20);
    platform.cut(refusal(Code.FailedPrecondition, reason));
    await pass(50);
    expect([tab.last?.total, tab.rows.size]).toEqual([20, 20]);
    expect(platform.watches.at(-1)?.views[0]?.cursor).toBe("list-2");
    expect(tab.freshness.map(({ kind }) => kind).slice(-2)).toEqual(["catching-up", "live"]);
  });

  it("reads a stale list again at rest, at most once a second", async () => {
    const platform = new Platform(500);
    const tab = new Tab(new Hub(platform.transport));
    tab.open(byHealth);
    await pass(1_500);
    for (let round = 0; round < 40; round++) {
      platform.change(round % 50, HealthStatus.DEGRADED - (round % 2));
      await pass(100);
    }
    expect(platform.lists).toBeGreaterThanOrEqual(4);
    expect(platform.lists).toBeLessThanOrEqual(6);
  });

  it("leaves the order alone while the user reads, tells how many moved, and applies it on demand", async () => {
    const platform = new Platform(500);
    const tab = new Tab(new Hub(platform.transport));
    tab.open(byHealth);
    await pass(50);
    tab.hub.receive(tab.port, { kind: "rest", id: 1, atRest: false });
    platform.change(20, HealthStatus.DEGRADED);
    await pass(5_000);
    expect([platform.lists, tab.last?.moved, tab.rows.get(20)]).toEqual([1, 1, HealthStatus.DEGRADED]);
    tab.hub.receive(tab.port, { kind: "apply", id: 1 });
    await pass(50);
    expect([platform.lists, tab.last?.moved]).toEqual([2, 0]);
  });

  it("drops everything at sign-out and reads anew for the next user", async () => {
    const platform = new Platform(50);
    const hub = new Hub(platform.transport);
    const tab = new Tab(hub);
    tab.open(byName);
    await pass(50);
    hub.clear();
    await pass(10);
    expect([tab.rows.size, tab.last?.isLoaded, platform.open]).toEqual([0, false, 0]);
    platform.applications = platform.applications.slice(0, 5);
    hub.resume();
    await pass(50);
    expect([tab.rows.size, platform.open]).toEqual([5, 1]);
  });

  it("tells the tabs when the session is over", async () => {
    const platform = new Platform(50);
    const tab = new Tab(new Hub(platform.transport));
    tab.open(byName);
    await pass(50);
    platform.cut(refusal(Code.Unauthenticated, "CREDENTIAL_EXPIRED"));
    await pass(50);
    expect([tab.isSignedOut, tab.rows.size]).toEqual([true, 50]);
  });

  const names = { runtime: "local", cluster: "in-cluster", namespace: "argocd", name: "00003" };
  const { HEALTHY, DEGRADED } = HealthStatus;

  it("tells an application to the tabs that follow it, over the stream of the lists", async () => {
    const platform = new Platform(50);
    const hub = new Hub(platform.transport);
    const tabs = [new Tab(hub), new Tab(hub)];
    tabs[0]?.open(byName);
    await pass(50);
    for (const tab of tabs) hub.receive(tab.port, { kind: "follow", id: 9, names });
    await pass(50);
    platform.change(3, DEGRADED, 1);
    platform.change(4, DEGRADED, 1);
    await pass(50);
    expect(tabs.map(({ told }) => told)).toEqual([[HEALTHY, DEGRADED], [HEALTHY, DEGRADED]]);
    expect([platform.open, platform.watches.at(-1)?.views.map(({ cursor }) => cursor !== "")]).toEqual([1, [true, true]]);
    for (const tab of tabs) hub.receive(tab.port, { kind: "unfollow", id: 9 });
    await pass(50);
    expect(platform.watches.at(-1)?.views).toHaveLength(1);
  });

  it("tells a hidden tab once, when it is looked at again", async () => {
    const platform = new Platform(50);
    const tab = new Tab(new Hub(platform.transport));
    tab.hub.receive(tab.port, { kind: "follow", id: 9, names });
    await pass(50);
    tab.hub.receive(tab.port, { kind: "visible", visible: false });
    platform.change(3, DEGRADED);
    platform.change(3, HEALTHY);
    platform.change(3, DEGRADED);
    await pass(50);
    expect(tab.told).toEqual([HEALTHY]);
    tab.hub.receive(tab.port, { kind: "visible", visible: true });
    expect(tab.told).toEqual([HEALTHY, DEGRADED]);
  });

  it("reads an application again after CURSOR_EXPIRED, and tells that it is gone", async () => {
    const platform = new Platform(50);
    const tab = new Tab(new Hub(platform.transport));
    tab.hub.receive(tab.port, { kind: "follow", id: 9, names });
    await pass(50);
    platform.applications = platform.applications.filter(({ name }) => name !== names.name);
    platform.cut(refusal(Code.FailedPrecondition, "CURSOR_EXPIRED"));
    await pass(50);
    expect([tab.told, platform.open]).toEqual([[HEALTHY, "deleted"], 1]);
  });

  it("ends the stream when no tab is left", async () => {
    const platform = new Platform(50);
    const tab = new Tab(new Hub(platform.transport));
    tab.open(byName);
    await pass(50);
    tab.hub.receive(tab.port, { kind: "bye" });
    await pass(50);
    expect(platform.open).toBe(0);
  });
});
