import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
export type Density = "comfortable" | "default" | "dense";
export type Rail = "open" | "collapsed";

export interface Appearance {
  theme: Theme;
  density: Density;
  rail: Rail;
  /** Single-letter shortcuts; some users and tools need them off. */
  letterShortcuts: boolean;
}

/** before-paint.js reads the same key. */
const STORED = "causeway.appearance";
const initial: Appearance = { theme: "system", density: "default", rail: "open", letterShortcuts: true };

let current = read();
const listeners = new Set<() => void>();

/** Returns how this browser shows the UI. */
export function useAppearance(): Appearance {
  return useSyncExternalStore(subscribe, getAppearance);
}

export function getAppearance(): Appearance {
  return current;
}

/** Applies and stores a change. */
export function setAppearance(change: Partial<Appearance>) {
  current = { ...current, ...change };
  try {
    localStorage.setItem(STORED, JSON.stringify(current));
  } catch {
    // Without storage the choice ends with the page.
  }
  apply(current);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function apply({ theme, density, rail }: Appearance) {
  const { dataset } = document.documentElement;
  setOrDelete(dataset, "theme", theme === "system" ? undefined : theme);
  setOrDelete(dataset, "density", density === "default" ? undefined : density);
  setOrDelete(dataset, "rail", rail === "open" ? undefined : rail);
}

function setOrDelete(dataset: DOMStringMap, key: string, value: string | undefined) {
  if (value === undefined) delete dataset[key];
  else dataset[key] = value;
}

function read(): Appearance {
  try {
    return { ...initial, ...(JSON.parse(localStorage.getItem(STORED) ?? "{}") as Partial<Appearance>) };
  } catch {
    return initial;
  }
}
