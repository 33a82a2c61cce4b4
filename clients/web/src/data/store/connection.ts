/** The page's end of the window store. */
import { onResume, reportSignedOut } from "@/session/session";
import { setFreshness } from "@/shell/freshness";
import { workerUrl } from "@/worker-url";
import type { ApplicationUpdate, ToPage, ToWorker, ViewSpec, WindowUpdate } from "./protocol";
import type { Names } from "./row";
import url from "./worker?worker&url";

type Outgoing = ToWorker | { kind: "lock"; name: string };

export interface Channel {
  postMessage: (message: Outgoing) => void;
  onmessage: ((event: MessageEvent<ToPage>) => void) | null;
}

type Listener = (update: WindowUpdate) => void;

/** Talks to the worker over one channel; windows are known by numbers of this page. */
export class StoreConnection {
  private readonly listeners = new Map<number, Listener>();
  private readonly followers = new Map<number, (update: ApplicationUpdate) => void>();
  private lastId = 0;

  constructor(private readonly channel: Channel) {
    channel.onmessage = ({ data }) => this.receive(data);
    onResume(() => this.send({ kind: "resume" }));
    const tellVisible = () => this.send({ kind: "visible", visible: document.visibilityState === "visible" });
    document.addEventListener("visibilitychange", tellVisible);
    tellVisible();
    this.holdLock();
  }

  open(spec: ViewSpec, from: number, to: number, listener: Listener) {
    const id = ++this.lastId;
    this.listeners.set(id, listener);
    this.send({ kind: "open", id, spec, from, to });
    return {
      show: (from: number, to: number) => this.send({ kind: "show", id, from, to }),
      rest: (atRest: boolean) => this.send({ kind: "rest", id, atRest }),
      apply: () => this.send({ kind: "apply", id }),
      close: () => {
        this.listeners.delete(id);
        this.send({ kind: "close", id });
      },
    };
  }

  /** Tells one application in full and its changes, until the returned function is called. */
  follow(names: Names, listener: (update: ApplicationUpdate) => void): () => void {
    const id = ++this.lastId;
    this.followers.set(id, listener);
    this.send({ kind: "follow", id, names });
    return () => {
      this.followers.delete(id);
      this.send({ kind: "unfollow", id });
    };
  }

  private send(message: Outgoing) {
    this.channel.postMessage(message);
  }

  private receive(message: ToPage) {
    switch (message.kind) {
      case "windows":
        for (const update of message.windows) this.listeners.get(update.id)?.(update);
        return;
      case "application":
        return this.followers.get(message.id)?.(message.update);
      case "freshness":
        return setFreshness(message.freshness);
      case "signed-out":
        return reportSignedOut();
    }
  }

  /** The worker gets the lock when this page is gone; plain HTTP has no locks, so the page says goodbye, too. */
  private holdLock() {
    const name = `causeway.page:${Math.random().toString(36).slice(2)}`;
    addEventListener("pagehide", ({ persisted }) => persisted || this.send({ kind: "bye" }));
    if (!("locks" in navigator)) return;
    void navigator.locks.request(name, () => {
      this.send({ kind: "lock", name });
      return new Promise(() => {});
    });
  }
}

let connection: StoreConnection | undefined;

/** Returns the connection of this page; the first call starts the worker. */
export function store(): StoreConnection {
  connection ??= new StoreConnection(startWorker());
  return connection;
}

function startWorker(): Channel {
  const address = workerUrl(url);
  if (typeof SharedWorker === "undefined") return new Worker(address, { type: "module", name: "causeway" });
  const { port } = new SharedWorker(address, { type: "module", name: "causeway" });
  port.start();
  return port;
}
