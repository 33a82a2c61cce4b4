import { useLocation } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type RefObject } from "react";
import { useAppearance } from "@/theme/appearance";

/** Rows of two lines on small screens. */
const NARROW_ROW = 60;

/** Follows a media query. */
export function useMedia(condition: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(condition);
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => matchMedia(condition).matches,
  );
}

/** Returns the height of a row in pixels: the token of the chosen density. */
export function useRowHeight(isNarrow: boolean): number {
  useAppearance();
  if (isNarrow) return NARROW_ROW;
  return Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row")) || 32;
}

/** Follows the width of an element in pixels. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(1000);
  useLayoutEffect(() => {
    if (!element.current) return;
    setWidth(element.current.clientWidth);
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

interface Remembered {
  /** The first visible row, and how far it is scrolled out. */
  index: number;
  offset: number;
  active: number;
}

const STORED = "causeway.scroll:";

/** Returns what was remembered for this entry of the history. */
export function remembered(key: string): Remembered {
  try {
    return { index: 0, offset: 0, active: 0, ...(JSON.parse(sessionStorage.getItem(STORED + key) ?? "{}") as object) };
  } catch {
    return { index: 0, offset: 0, active: 0 };
  }
}

export function remember(key: string, change: Partial<Remembered>) {
  try {
    sessionStorage.setItem(STORED + key, JSON.stringify({ ...remembered(key), ...change }));
  } catch {
    // Without storage the list begins at its top.
  }
}

/** Returns the key of this entry of the history; typing replaces the entry and keeps it. */
export function useHistoryKey(): string {
  return useLocation({ select: ({ state }) => state.__TSR_key ?? "first" });
}

/** Restores the scroll position of this entry of the history once its rows are there, and remembers it. */
export function useScrollMemory(key: string, frame: RefObject<HTMLElement | null>, isReady: boolean, rowHeight: number) {
  const restored = useRef("");
  useEffect(() => {
    const element = frame.current;
    if (!element || !isReady || restored.current === key) return;
    restored.current = key;
    const { index, offset } = remembered(key);
    element.scrollTop = index * rowHeight + offset;
  }, [key, isReady, rowHeight]);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const store = () => {
      if (restored.current !== key) return;
      remember(key, { index: Math.floor(element.scrollTop / rowHeight), offset: element.scrollTop % rowHeight });
    };
    element.addEventListener("scrollend", store);
    return () => element.removeEventListener("scrollend", store);
  }, [key, rowHeight]);
}
