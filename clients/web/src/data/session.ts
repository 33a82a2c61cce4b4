/** The session of the browser: told when a call finds it lost, when it is there again, and when it was ended, in all tabs. */
export type SessionEvent = "lost" | "restored" | "ended";

type Listener = (event: SessionEvent) => void;

const listeners = new Set<Listener>();
const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("causeway.session");
let isLost = false;

channel?.addEventListener("message", ({ data }) => apply(data as SessionEvent));

/** Reports if a call was refused for want of a session since the last sign-in. */
export function isSessionLost(): boolean {
  return isLost;
}

/** Calls a listener at each event of the session; returns what ends it. */
export function onSession(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Tells that a call was refused for want of a session; told once until there is one again. */
export function sessionLost() {
  if (!isLost) tell("lost");
}

/** Tells that there is a session again; waiting calls go on. */
export function sessionRestored() {
  tell("restored");
}

/** Tells that the user signed out; the store and all tabs drop what they hold. */
export function sessionEnded() {
  tell("ended");
}

/** Resolves when there is a session again; rejects when the signal aborts. */
export function whenRestored(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = onSession((event) => {
      if (event !== "restored") return;
      stop();
      resolve();
    });
    signal.addEventListener("abort", () => (stop(), reject(signal.reason as Error)), { once: true });
  });
}

function tell(event: SessionEvent) {
  channel?.postMessage(event);
  apply(event);
}

function apply(event: SessionEvent) {
  isLost = event !== "restored";
  for (const listener of [...listeners]) listener(event);
}
