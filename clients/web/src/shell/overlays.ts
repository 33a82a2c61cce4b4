import { useSyncExternalStore } from "react";

export type Overlay = "none" | "command-bar" | "shortcuts";

let current: Overlay = "none";
const listeners = new Set<() => void>();

function show(overlay: Overlay) {
  current = overlay;
  for (const listener of listeners) listener();
}

export const openCommandBar = () => show("command-bar");
export const openShortcuts = () => show("shortcuts");
export const closeOverlay = () => show("none");

export function useOverlay(): Overlay {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
