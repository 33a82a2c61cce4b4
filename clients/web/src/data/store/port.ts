import type { ToPage, WindowUpdate } from "./protocol";
import type { Row } from "./row";
import type { View } from "./view";

/** Changes of the stream are posted at most four times a second. */
const POST_EVERY = 250;

/** A range of a list that a page shows, and what it was told of it. */
export interface Subscription {
  id: number;
  view: View;
  from: number;
  to: number;
  atRest: boolean;
  sent: Map<number, Row | undefined>;
  isDirty: boolean;
}

/** One tab: posts the windows that changed, and nothing while it is hidden. */
export class Port {
  readonly subscriptions = new Map<number, Subscription>();
  isVisible = true;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private postedAt = 0;

  constructor(readonly send: (message: ToPage) => void) {}

  setVisible(isVisible: boolean) {
    this.isVisible = isVisible;
    if (isVisible) this.post();
  }

  /** Marks the windows of a list as changed; they are posted within the rate. */
  touch(view: View) {
    if (!this.mark(view) || !this.isVisible) return;
    this.timer ??= setTimeout(() => this.post(), Math.max(0, this.postedAt + POST_EVERY - Date.now()));
  }

  /** Posts the windows of a list at once, since the user waits for them. */
  postView(view: View) {
    if (this.mark(view)) this.post();
  }

  /** Posts all windows that changed. */
  post() {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.isVisible) return;
    const dirty = [...this.subscriptions.values()].filter(({ isDirty }) => isDirty);
    if (dirty.length === 0) return;
    this.postedAt = Date.now();
    this.send({ kind: "windows", windows: dirty.map(update) });
  }

  close() {
    clearTimeout(this.timer);
    this.subscriptions.clear();
  }

  private mark(view: View): boolean {
    let isMarked = false;
    for (const subscription of this.subscriptions.values()) {
      if (subscription.view !== view) continue;
      subscription.isDirty = true;
      isMarked = true;
    }
    return isMarked;
  }
}

/** Returns what changed in a window since it was told last. */
function update(subscription: Subscription): WindowUpdate {
  const { id, view, from, sent } = subscription;
  const to = view.isLoaded ? Math.min(subscription.to, view.total) : from;
  const rows: [number, Row | undefined][] = [];
  const now = new Map<number, Row | undefined>();
  for (let index = from; index < to; index++) {
    const row = view.row(index);
    now.set(index, row);
    if (!sent.has(index) || sent.get(index) !== row) rows.push([index, row]);
  }
  subscription.sent = now;
  subscription.isDirty = false;
  const { isLoaded, total, movedCount, arrivedCount, changes, failure } = view;
  return { id, isLoaded, total, from, to, rows, moved: movedCount, arrived: arrivedCount, changes, failure };
}
