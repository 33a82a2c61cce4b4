import { Code, createClient, type Client, type Transport } from "@connectrpc/connect";
import { ApplicationService, ApplicationView } from "@contract/causeway/inventory/v1/application_service_pb";
import type { Freshness } from "@/shell/freshness";
import { toProblem } from "../problem";
import { Feed, type Watched } from "./feed";
import { Follow } from "./follow";
import { Port, type Subscription } from "./port";
import { specKey, type ToPage, type ToWorker, type ViewSpec } from "./protocol";
import { keyOf, toRow, type Names, type Row } from "./row";
import { PAGE, toChange, View } from "./view";

const MOST_VIEWS = 8;
/** A stream tells of 32 things at most; the applications that were opened last are among them. */
const MOST_FOLLOWED = 20;
const PAGES_AHEAD = 2;
/** A stale list is read again at most this often. */
const REREAD_EVERY = 1_000;
const RETRY_EVERY = 2_000;
/** Stands for all pages of a list that is read again. */
const REREAD = -1;

interface Reading {
  abort: AbortController;
  pages: Set<number>;
}

/** The lists and applications of all tabs: reads their pages, applies the changes of one stream, and tells each tab its windows. */
export class Hub {
  private readonly client: Client<typeof ApplicationService>;
  private readonly feed: Feed;
  private readonly ports = new Set<Port>();
  /** By key, least recently used first. */
  private readonly views = new Map<string, View>();
  /** By key, in the order of their opening. */
  private readonly follows = new Map<string, Follow>();
  private readonly readings = new Map<View, Reading>();
  private readonly rereadAt = new Map<View, number>();
  private readonly timers = new Map<View, ReturnType<typeof setTimeout>>();
  private watched = "";
  private freshness: Freshness = { kind: "connecting" };
  private lastId = 0;

  constructor(transport: Transport) {
    this.client = createClient(ApplicationService, transport);
    this.feed = new Feed(transport, {
      onChanges: (id, changes, total) => {
        this.change(id, (view) => view.applyAll(changes.flatMap(toChange), total));
        [...this.follows.values()].find((follow) => follow.id === id)?.apply(changes);
      },
      onFreshness: (freshness) => this.tellFreshness(freshness),
      onExpired: () => this.rereadAll(),
      onSignedOut: () => this.signedOut(),
    });
  }

  /** Adds a tab; `send` reaches its page. */
  connect(send: (message: ToPage) => void): Port {
    const port = new Port(send);
    this.ports.add(port);
    send({ kind: "freshness", freshness: this.freshness });
    return port;
  }

  disconnect(port: Port) {
    port.close();
    this.ports.delete(port);
    this.unfollow((follow) => follow.remove(port));
    this.tidy();
  }

  receive(port: Port, message: ToWorker) {
    switch (message.kind) {
      case "open":
        return this.open(port, message.id, message.spec, message.from, message.to);
      case "show":
        return this.withSubscription(port, message.id, (subscription) => this.show(port, subscription, message.from, message.to));
      case "rest":
        return this.withSubscription(port, message.id, (subscription) => {
          subscription.atRest = message.atRest;
          this.rereadIfAtRest(subscription.view);
        });
      case "apply":
        return this.withSubscription(port, message.id, ({ view }) => void this.reread(view));
      case "close":
        port.subscriptions.delete(message.id);
        return this.tidy();
      case "follow":
        return this.follow(port, message.id, message.names);
      case "unfollow":
        return this.unfollow((follow) => follow.remove(port, message.id));
      case "visible":
        port.setVisible(message.visible);
        for (const follow of this.follows.values()) follow.post();
        if (message.visible) this.wake();
        return;
      case "resume":
        return this.resume();
      case "bye":
        return this.disconnect(port);
    }
  }

  /** The network is back, or a page is looked at again. */
  wake() {
    this.feed.wake();
    for (const view of this.views.values()) this.rereadIfAtRest(view);
  }

  /** Drops what another user may not see, and reads everything again. */
  resume() {
    for (const view of this.views.values()) view.clear();
    for (const follow of this.follows.values()) follow.clear();
    this.rereadAll();
  }

  /** Drops everything: the user signed out. */
  clear() {
    for (const view of this.views.values()) view.clear();
    for (const follow of this.follows.values()) follow.clear();
    this.stopWatching();
    this.postAll();
  }

  private withSubscription(port: Port, id: number, act: (subscription: Subscription) => void) {
    const subscription = port.subscriptions.get(id);
    if (subscription) act(subscription);
  }

  private open(port: Port, id: number, spec: ViewSpec, from: number, to: number) {
    const key = specKey(spec);
    const known = this.views.get(key);
    const view = known ?? new View(`view-${++this.lastId}`, spec);
    const wasAsleep = known !== undefined && this.subscriptionsOf(known).length === 0;
    this.views.delete(key);
    this.views.set(key, view);
    const subscription: Subscription = { id, view, from, to, atRest: true, sent: new Map(), isDirty: true };
    port.subscriptions.set(id, subscription);
    port.post();
    if (wasAsleep) void this.reread(view);
    else void this.read(view, from, to);
    this.tidy();
  }

  private follow(port: Port, id: number, names: Names) {
    const known = this.follows.get(keyOf(names));
    const follow = known ?? new Follow(`application-${++this.lastId}`, names);
    follow.add(port, id);
    if (known) return;
    this.follows.set(follow.key, follow);
    void this.readFollowed(follow);
  }

  private unfollow(remove: (follow: Follow) => void) {
    for (const follow of this.follows.values()) {
      remove(follow);
      if (!follow.isFollowed) this.follows.delete(follow.key);
    }
    this.rewatch();
  }

  /** Reads an application, and where its changes begin. */
  private async readFollowed(follow: Follow) {
    try {
      const { applications, cursor } = await this.client.listApplications({ filter: follow.filter, view: follow.level, pageSize: PAGE });
      if (this.follows.get(follow.key) !== follow) return;
      follow.read(applications.find((each) => keyOf(each) === follow.key));
      follow.cursor = cursor;
      this.rewatch();
    } catch (error) {
      const problem = toProblem(error);
      if (problem.code === Code.Unauthenticated) return this.signedOut();
      // The page shows what it read itself; a refusal that lasts is not asked for again.
      if (problem.retryable) setTimeout(() => this.follows.get(follow.key) === follow && void this.readFollowed(follow), RETRY_EVERY);
    }
  }

  private show(port: Port, subscription: Subscription, from: number, to: number) {
    const isDown = from >= subscription.from;
    subscription.from = from;
    subscription.to = to;
    subscription.isDirty = true;
    port.post();
    const ahead = PAGES_AHEAD * PAGE;
    void this.read(subscription.view, isDown ? from : Math.max(0, from - ahead), isDown ? to + ahead : to);
  }

  /** Reads the pages of a range that are not there. */
  private async read(view: View, from: number, to: number) {
    const reading = this.readings.get(view) ?? { abort: new AbortController(), pages: new Set() };
    const pages = view.missing(from, to).filter((page) => !reading.pages.has(page));
    if (pages.length === 0) return;
    this.readings.set(view, reading);
    // The first page of a list tells where its changes begin, so it is read before the others.
    if (!view.isLoaded) pages.length = 1;
    await Promise.all(pages.map((page) => this.readPage(view, reading, page)));
  }

  private async readPage(view: View, reading: Reading, page: number) {
    reading.pages.add(page);
    view.beginRead();
    try {
      const { rows, total, cursor } = await this.list(view, page, reading.abort.signal);
      if (reading.abort.signal.aborted) return;
      view.put(page, rows, total);
      view.cursor ||= cursor;
      this.settle(view);
    } catch (error) {
      if (!reading.abort.signal.aborted) this.fail(view, error);
    } finally {
      view.endRead();
      reading.pages.delete(page);
      if (reading.pages.size === 0 && this.readings.get(view) === reading) this.readings.delete(view);
      this.rewatch();
    }
  }

  private async list(view: View, page: number, signal: AbortSignal): Promise<{ rows: Row[]; total: number; cursor: string }> {
    const { filter, sort, descending } = view.spec;
    const request = { filter, sort, descending, view: ApplicationView.ROW, pageSize: PAGE, offset: page * PAGE };
    const { applications, total, cursor } = await this.client.listApplications(request, { signal });
    return { rows: applications.map(toRow), total: Number(total), cursor };
  }

  /** Reads the visible pages again in the server's order, and forgets the others. */
  private async reread(view: View) {
    this.rereadAt.set(view, Date.now());
    this.stopReading(view);
    const reading: Reading = { abort: new AbortController(), pages: new Set([REREAD]) };
    this.readings.set(view, reading);
    view.beginRead();
    try {
      const numbers = this.visiblePages(view);
      const first = await this.list(view, numbers[0] ?? 0, reading.abort.signal);
      const others = await Promise.all(numbers.slice(1).map(async (page) => [page, await this.list(view, page, reading.abort.signal)] as const));
      if (reading.abort.signal.aborted) return;
      const pages = new Map([[numbers[0] ?? 0, first.rows], ...others.map(([page, { rows }]) => [page, rows] as const)]);
      view.replace(pages, first.total);
      view.cursor ||= first.cursor;
      this.settle(view);
    } catch (error) {
      if (!reading.abort.signal.aborted) this.fail(view, error);
    } finally {
      view.endRead();
      if (this.readings.get(view) === reading) this.readings.delete(view);
      this.rewatch();
    }
  }

  private stopReading(view: View) {
    this.readings.get(view)?.abort.abort();
    this.readings.delete(view);
  }

  /** Posts what was read, and reads what is shown and still missing. */
  private settle(view: View) {
    this.postViews(view);
    for (const { from, to } of this.subscriptionsOf(view)) void this.read(view, from, to);
  }

  private visiblePages(view: View): number[] {
    const pages = new Set<number>();
    for (const { from, to } of this.subscriptionsOf(view)) {
      const last = Math.floor((Math.max(1, Math.min(to, Math.max(view.total, 1))) - 1) / PAGE);
      for (let page = Math.floor(from / PAGE); page <= last; page++) pages.add(page);
    }
    return pages.size > 0 ? [...pages].sort((a, b) => a - b) : [0];
  }

  private fail(view: View, error: unknown) {
    const problem = toProblem(error);
    if (problem.code === Code.Unauthenticated) return this.signedOut();
    view.failure = problem;
    this.postViews(view);
    if (problem.retryable) this.later(view, RETRY_EVERY, () => void this.reread(view));
  }

  private change(id: string, act: (view: View) => void) {
    const view = [...this.views.values()].find((each) => each.id === id);
    if (!view) return;
    act(view);
    for (const port of this.ports) port.touch(view);
    this.rereadIfAtRest(view);
  }

  /** A stale list is read again when no tab would see rows move under the pointer. */
  private rereadIfAtRest(view: View) {
    const shown = this.subscriptionsOf(view, true);
    if (!view.isStale || shown.length === 0 || !shown.every(({ atRest, from }) => atRest && from === 0)) return;
    const wait = (this.rereadAt.get(view) ?? 0) + REREAD_EVERY - Date.now();
    if (wait > 0) this.later(view, wait, () => this.rereadIfAtRest(view));
    else if (!this.readings.has(view)) void this.reread(view);
  }

  private later(view: View, wait: number, act: () => void) {
    if (this.timers.has(view)) return;
    this.timers.set(view, setTimeout(() => (this.timers.delete(view), this.views.has(view.key) && act()), wait));
  }

  private subscriptionsOf(view: View, visibleOnly = false): Subscription[] {
    const ports = [...this.ports].filter((port) => port.isVisible || !visibleOnly);
    return ports.flatMap((port) => [...port.subscriptions.values()]).filter((subscription) => subscription.view === view);
  }

  /** Ends what nobody looks at: its reads, its place in the stream, and the oldest lists beyond the limit. */
  private tidy() {
    const unused = [...this.views.values()].filter((view) => this.subscriptionsOf(view).length === 0);
    for (const view of unused) this.stopReading(view);
    for (const view of unused.slice(0, Math.max(0, this.views.size - MOST_VIEWS))) {
      this.views.delete(view.key);
      this.rereadAt.delete(view);
    }
    this.rewatch();
  }

  /** Sets the stream to the lists and applications that are shown and have a cursor. */
  private rewatch() {
    const lists: Watched[] = [...this.views.values()].filter((view) => view.cursor && this.subscriptionsOf(view).length > 0);
    const views = [...lists, ...[...this.follows.values()].filter(({ cursor }) => cursor).slice(-MOST_FOLLOWED)];
    const watched = views.map(({ id }) => id).sort().join();
    if (watched === this.watched) return;
    this.watched = watched;
    this.feed.watch(views);
  }

  private stopWatching() {
    this.watched = "";
    this.feed.watch([]);
  }

  private rereadAll() {
    this.stopWatching();
    this.tellFreshness({ kind: "catching-up", behindSeconds: 0 });
    for (const view of this.views.values()) {
      view.cursor = "";
      if (this.subscriptionsOf(view).length > 0) void this.reread(view);
    }
    for (const follow of this.follows.values()) {
      follow.cursor = "";
      void this.readFollowed(follow);
    }
  }

  private signedOut() {
    this.stopWatching();
    this.tellFreshness({ kind: "signed-out" });
    for (const port of this.ports) port.send({ kind: "signed-out" });
  }

  private tellFreshness(freshness: Freshness) {
    if (JSON.stringify(freshness) === JSON.stringify(this.freshness)) return;
    this.freshness = freshness;
    for (const port of this.ports) port.send({ kind: "freshness", freshness });
  }

  private postViews(view: View) {
    for (const port of this.ports) port.postView(view);
  }

  private postAll() {
    for (const view of this.views.values()) this.postViews(view);
  }
}
