import { useSyncExternalStore } from "react";

let current: readonly string[] = [];
const listeners = new Set<() => void>();

/** Sets the short facts of the foot line, such as "40 runtimes, 1 silent" and "3 running". */
export function setFacts(facts: readonly string[]) {
  current = facts;
  for (const listener of listeners) listener();
}

export function useFacts(): readonly string[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
