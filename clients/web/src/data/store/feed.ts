import { Code, createClient, type Client, type Transport } from "@connectrpc/connect";
import type { ApplicationView } from "@contract/causeway/inventory/v1/application_service_pb";
import { ViewService, type ViewChange, type WatchViewsResponse } from "@contract/causeway/inventory/v1/view_service_pb";
import type { Freshness } from "@/shell/freshness";
import { toProblem, type Problem } from "../problem";
import type { Filter } from "../url";

const FIRST_DELAY = 200;
const LONGEST_DELAY = 10_000;
/** The server sends at least every 15 s. */
const SILENCE = 30_000;

/** What the stream tells changes of: a list, or one application. */
export interface Watched {
  readonly id: string;
  readonly filter: Filter;
  readonly level: ApplicationView;
  /** Moves on with each response. */
  cursor: string;
}

export interface FeedEvents {
  onChanges: (id: string, changes: ViewChange[], total: number) => void;
  onFreshness: (freshness: Freshness) => void;
  /** The cursors are of no use any more: the lists must be read again. */
  onExpired: () => void;
  onSignedOut: () => void;
}

/** The one stream of changes of all lists and pages; it is taken up again where it was cut. */
export class Feed {
  private readonly client: Client<typeof ViewService>;
  private views: readonly Watched[] = [];
  private attempt = new AbortController();
  private isRunning = false;
  private delay = FIRST_DELAY;
  private lostAt: number | undefined;
  private heardAt = 0;
  private wakeUp = () => {};

  constructor(
    transport: Transport,
    private readonly events: FeedEvents,
  ) {
    this.client = createClient(ViewService, transport);
  }

  /** Sets what is watched; the stream begins anew with the cursors that it has. */
  watch(views: readonly Watched[]) {
    this.views = views;
    this.restart();
    if (views.length > 0 && !this.isRunning) void this.run();
  }

  /** Connects at once where it waits, and checks a stream that was silent while the machine slept. */
  wake() {
    if (this.lostAt !== undefined || Date.now() - this.heardAt > SILENCE) this.restart();
  }

  private restart() {
    this.delay = FIRST_DELAY;
    this.attempt.abort();
    this.wakeUp();
  }

  private async run() {
    this.isRunning = true;
    while (this.views.length > 0) {
      this.attempt = new AbortController();
      const { signal } = this.attempt;
      const watchdog = setInterval(() => this.checkSilence(), SILENCE / 6);
      const problem = await this.listen(signal);
      clearInterval(watchdog);
      const isRestarted = signal.aborted;
      this.attempt.abort();
      if (isRestarted && this.lostAt === undefined) continue;
      if (problem && !this.goesOn(problem)) break;
      this.lose();
      if (!isRestarted) await this.pause();
    }
    this.isRunning = false;
  }

  private async listen(signal: AbortSignal): Promise<Problem | undefined> {
    this.heardAt = Date.now();
    try {
      await this.hearAll(signal);
      return undefined;
    } catch (error) {
      return toProblem(error);
    }
  }

  private async hearAll(signal: AbortSignal) {
    const options = { signal, onHeader: () => this.connected(signal) };
    for await (const response of this.client.watchViews(this.request(), options)) this.hear(response, signal);
  }

  private request() {
    const views = this.views.map(({ id, filter, level, cursor }) => ({ id, filter, view: level, cursor }));
    return { views };
  }

  private connected(signal: AbortSignal) {
    if (signal.aborted) return;
    this.heardAt = Date.now();
    this.delay = FIRST_DELAY;
    this.lostAt = undefined;
    this.events.onFreshness({ kind: "live" });
  }

  private hear(response: WatchViewsResponse, signal: AbortSignal) {
    if (signal.aborted) return;
    this.connected(signal);
    const view = this.views.find(({ id }) => id === response.id);
    if (view && response.cursor) view.cursor = response.cursor;
    this.events.onChanges(response.id, response.changes, Number(response.total));
  }

  /** Reports if another attempt makes sense; what is over is told. */
  private goesOn({ reason, code }: Problem): boolean {
    if (reason === "CURSOR_EXPIRED" || reason === "SCOPE_CHANGED") {
      this.views = [];
      this.events.onExpired();
      return false;
    }
    if (code !== Code.Unauthenticated) return true;
    this.views = [];
    this.events.onSignedOut();
    return false;
  }

  private lose() {
    this.lostAt ??= Date.now();
    this.events.onFreshness({ kind: "reconnecting", since: this.lostAt });
  }

  private checkSilence() {
    if (Date.now() - this.heardAt <= SILENCE) return;
    this.lose();
    this.attempt.abort();
  }

  private async pause() {
    const length = this.delay * (0.5 + Math.random() / 2);
    this.delay = Math.min(LONGEST_DELAY, this.delay * 2);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, length);
      this.wakeUp = () => (clearTimeout(timer), resolve());
    });
  }
}
