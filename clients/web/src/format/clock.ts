import { useSyncExternalStore } from "react";

const TICK = 10_000;

let offset = 0;
let shown = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** Returns the time of the platform: the browser's clock, corrected by its offset. */
export function now(): number {
  return Date.now() + offset;
}

/** Sets how far the platform's clock is ahead, in milliseconds; the transport measures it. */
export function setClockOffset(milliseconds: number) {
  offset = milliseconds;
  tick();
}

/** Returns a time that moves every 10 s for the whole page, by one timer. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => shown);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  if (timer === undefined) {
    shown = now();
    timer = setInterval(tick, TICK);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick() {
  shown = now();
  for (const listener of listeners) listener();
}
