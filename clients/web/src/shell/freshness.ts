import { useSyncExternalStore } from "react";

/** What the foot line says about the data that is shown; times are milliseconds since 1970. */
export type Freshness =
  | { kind: "connecting" }
  /** Nothing is watched; the page reads again by itself, last at this time. */
  | { kind: "read"; at: number }
  | { kind: "live" }
  | { kind: "catching-up"; behindSeconds: number }
  | { kind: "reconnecting"; since: number }
  | { kind: "as-of"; at: number }
  | { kind: "signed-out" };

let current: Freshness = { kind: "connecting" };
const listeners = new Set<() => void>();

/** Tells the foot line how fresh the data is; the data layer calls it. */
export function setFreshness(freshness: Freshness) {
  current = freshness;
  for (const listener of listeners) listener();
}

/** Tells when something was read last; a watch, where there is one, knows better. */
export function setReadAt(at: number) {
  if (current.kind === "connecting" || current.kind === "read") setFreshness({ kind: "read", at });
}

export function useFreshness(): Freshness {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
