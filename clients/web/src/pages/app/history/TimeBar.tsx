import type { KeyboardEvent, PointerEvent } from "react";
import { useApplicationStates } from "@/data";
import { formatExact, formatTime, useNow } from "@/format";
import { useShortcuts } from "@/shell";
import { Button, classes, Select } from "@/ui";
import { useApp } from "../context";
import { useParam } from "../data/search";
import { marksOf } from "./entries";

const HOUR = 3_600_000;
const spans = { "1h": { text: "1 h", millis: HOUR }, "6h": { text: "6 h", millis: 6 * HOUR }, "24h": { text: "24 h", millis: 24 * HOUR }, "7d": { text: "7 d", millis: 168 * HOUR } } as const;
type Span = keyof typeof spans;

/** A line of time with the changes of state; a place on it shows the application as it was. */
export function TimeBar() {
  const { key, at } = useApp();
  const [spanText, setSpan] = useParam("span");
  const [, setAt] = useParam("at");
  const now = useNow();
  const span = (spanText !== undefined && Object.hasOwn(spans, spanText) ? spanText : "1h") as Span;
  const start = now - spans[span].millis;
  const states = useApplicationStates(key, { interval: 30_000 }).data?.pages.flatMap((page) => page.states) ?? [];
  const marks = marksOf(states, start);
  const goTo = (time: number | undefined) => setAt(time === undefined || time >= now ? undefined : new Date(time).toISOString());
  const step = (direction: 1 | -1) => {
    const here = at ?? now;
    const all = marks.map((mark) => mark.at);
    goTo(direction < 0 ? all.filter((each) => each < here - 1).at(-1) : all.find((each) => each > here + 1));
  };
  useShortcuts([
    { keys: "[", text: "One change back in time", group: "Application", run: () => step(-1) },
    { keys: "]", text: "One change forward in time", group: "Application", run: () => step(1) },
    { keys: "n", text: "Back to now", group: "Application", run: () => goTo(undefined) },
  ]);
  const share = (time: number) => `${Math.min(100, Math.max(0, ((time - start) / (now - start)) * 100))}%`;
  const fromPointer = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const place = (event.clientX - box.left) / box.width;
    goTo(place > 0.995 ? undefined : Math.round(start + place * (now - start)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const keys: Record<string, () => void> = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), End: () => goTo(undefined), Home: () => goTo(marks[0]?.at) };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]?.();
  };
  return (
    <div className="flex shrink-0 items-center gap-3 pb-2">
      <div
        role="slider"
        aria-label="Time"
        aria-valuemin={start}
        aria-valuemax={now}
        aria-valuenow={at ?? now}
        aria-valuetext={at === undefined ? "now" : formatExact(at)}
        tabIndex={0}
        onPointerDown={fromPointer}
        onPointerMove={(event) => event.buttons === 1 && fromPointer(event)}
        onKeyDown={onKeyDown}
        className="relative h-6 min-w-24 grow cursor-pointer touch-none rounded-control"
      >
        <span className="absolute inset-x-0 top-1/2 h-0.5 -translate-y-1/2 rounded-chip bg-edge" />
        {marks.map((mark) => (
          <span key={mark.at} title={formatTime(mark.at, now)} style={{ left: share(mark.at) }} className={classes("absolute top-1/2 -translate-1/2", mark.isBad ? "h-3 w-1 rounded-[1px] bg-bad" : "size-2 rounded-chip", !mark.isBad && (mark.isQuiet ? "bg-ok" : "bg-warn"))} />
        ))}
        <span style={{ left: share(at ?? now) }} className="absolute top-1/2 size-3.5 -translate-1/2 rounded-chip border-2 border-bg bg-accent shadow-float" />
      </div>
      <span className="numbers w-20 shrink-0 text-label text-dim">{at === undefined ? "now" : formatTime(at, now)}</span>
      {at !== undefined && <Button tone="quiet" onPress={() => goTo(undefined)}>Back to now</Button>}
      <Select<Span> label="Span of time" hideLabel className="w-20" value={span} onChange={setSpan} choices={(Object.keys(spans) as Span[]).map((each) => ({ key: each, text: spans[each].text }))} />
    </div>
  );
}
