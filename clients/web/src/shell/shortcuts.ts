import { useEffect, useRef, useSyncExternalStore } from "react";
import { getAppearance } from "@/theme/appearance";

export interface Shortcut {
  /** A key, "Ctrl k", or a sequence such as "g h". */
  keys: string;
  /** What it does, verb first. */
  text: string;
  group: string;
  run: () => void;
}

const SEQUENCE_TIME = 1_000;

let registered: readonly Shortcut[] = [];
let pending = "";
let pendingUntil = 0;
const listeners = new Set<() => void>();

function set(next: readonly Shortcut[]) {
  registered = next;
  for (const listener of listeners) listener();
}

/** Registers shortcuts while a component is shown; those registered last come first. */
export function useShortcuts(shortcuts: readonly Shortcut[]) {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const key = shortcuts.map(({ keys, text }) => `${keys}\t${text}`).join("\n");
  useEffect(() => {
    const mine = latest.current.map((shortcut) => ({
      ...shortcut,
      run: () => latest.current.find(({ keys }) => keys === shortcut.keys)?.run(),
    }));
    set([...mine, ...registered]);
    return () => set(registered.filter((shortcut) => !mine.includes(shortcut)));
  }, [key]);
}

/** Returns all shortcuts that act now, for the keyboard map. */
export function useRegisteredShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => registered,
  );
}

/** Runs the shortcut of a key event; reports if there was one. */
export function handleKey(event: KeyboardEvent): boolean {
  const name = keyName(event);
  if (name === undefined) return false;
  const isLetter = !event.ctrlKey && !event.metaKey;
  if (isLetter && (isTyping(event.target) || isInDialog(event.target) || !getAppearance().letterShortcuts)) return false;
  const sequence = pending && event.timeStamp < pendingUntil ? `${pending} ${name}` : name;
  pending = "";
  const found = find(sequence) ?? find(name);
  if (found) {
    event.preventDefault();
    found.run();
    return true;
  }
  if (isLetter && registered.some(({ keys }) => keys.startsWith(`${name} `))) {
    pending = name;
    pendingUntil = event.timeStamp + SEQUENCE_TIME;
  }
  return false;
}

function find(keys: string): Shortcut | undefined {
  return registered.find((shortcut) => shortcut.keys === keys);
}

function keyName(event: KeyboardEvent): string | undefined {
  if (event.defaultPrevented || event.altKey || event.isComposing) return undefined;
  if (["Control", "Meta", "Shift", "Alt", "Tab"].includes(event.key)) return undefined;
  return event.ctrlKey || event.metaKey ? `Ctrl ${event.key.toLowerCase()}` : event.key;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio]), textarea, select");
}

function isInDialog(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("[role=dialog], [role=alertdialog], [role=menu], [role=listbox]") !== null;
}
