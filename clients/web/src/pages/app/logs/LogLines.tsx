import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { plural } from "@/format";
import { Button, classes } from "@/ui";
import { levelOf } from "./levels";
import { isAt, type LinePlace } from "./place";
import type { Line } from "./ring";
import type { LogSource } from "./source";

export type Times = "local" | "utc" | "none";

const LINE = 20;

export interface LogLinesProps {
  source: LogSource;
  wraps: boolean;
  times: Times;
  /** Marks this text in the lines. */
  highlight: string;
  /** All lines are of one container, so its name need not stand there. */
  isSingle: boolean;
  /** Only lines with a text or of a level are shown. */
  isFiltered: boolean;
  /** The line that the URL links to. */
  place: LinePlace | undefined;
  onPlace: (line: Line | undefined) => void;
}

/** The lines of a log; scrolling up stays where one reads, and a pill counts what is new. */
export function LogLines({ source, wraps, times, highlight, isSingle, isFiltered, place, onPlace }: LogLinesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const hint = useId();
  const [readTo, setReadTo] = useState<number>();
  const count = source.lines.length;
  const total = count + source.lines.dropped;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => LINE,
    getItemKey: (index) => index + source.lines.dropped,
    overscan: 30,
  });
  useStayInPlace(frame, source.lines.dropped, readTo !== undefined);
  useLayoutEffect(() => {
    if (readTo === undefined && frame.current) frame.current.scrollTop = frame.current.scrollHeight;
  }, [total, readTo, wraps]);
  const found = useFound(source, place, (index) => {
    setReadTo(total);
    virtual.scrollToIndex(index, { align: "center" });
  });
  /** Enter links the first line in view, arrows go from line to line, Escape ends it. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const top = Math.ceil((frame.current?.scrollTop ?? 0) / LINE);
    const step = { Enter: found ?? top, ArrowUp: found === undefined ? undefined : found - 1, ArrowDown: found === undefined ? undefined : found + 1 }[event.key];
    if (event.key === "Escape" && place) onPlace(undefined);
    if (step === undefined || !source.lines.at(step)) return;
    event.preventDefault();
    setReadTo((before) => before ?? total);
    onPlace(source.lines.at(step));
    virtual.scrollToIndex(step, { align: "auto" });
  };
  const onScroll = () => {
    const element = frame.current;
    if (!element) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < LINE;
    setReadTo((before) => (isAtEnd ? undefined : (before ?? total)));
  };
  return (
    <div className="relative flex min-h-40 grow flex-col">
      <div ref={frame} role="log" aria-label="Log" aria-live="off" tabIndex={0} onScroll={onScroll} onKeyDown={onKeyDown} aria-describedby={hint} className="min-h-0 grow overflow-auto rounded-card border border-line bg-bg py-1 font-mono text-label leading-5">
        <div className={classes("relative min-w-full", !wraps && "w-max")} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => (
            <div key={key} data-index={index} ref={wraps ? virtual.measureElement : undefined} className={classes("top-0 left-0", wraps ? "absolute w-full" : "absolute")} style={{ transform: `translateY(${start}px)` }}>
              <LogLine line={source.lines.at(index)} wraps={wraps} times={times} highlight={highlight} isSingle={isSingle} isLinked={index === found} onPlace={onPlace} />
            </div>
          ))}
        </div>
      </div>
      <p id={hint} className="sr-only">Enter links the first line in view, the arrows go to the next one, Escape ends it. The address of the page is the link.</p>
      {count === 0 && !place && source.state.kind !== "connecting" && <p className="absolute inset-x-0 top-8 m-0 text-center text-dim">{isFiltered ? "No line matches the filter." : "There is no line."}</p>}
      {place && found === undefined && source.state.kind !== "connecting" && (
        <p className="absolute inset-x-3 top-2 m-0 rounded-control border border-line bg-raised px-2 py-1 text-label text-dim" role="status">The linked line is not among the lines that are here.</p>
      )}
      {readTo !== undefined && (
        <Button tone="accent" className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-chip! shadow-float" icon={<ArrowDown size={14} aria-hidden />} onPress={() => setReadTo(undefined)}>
          {total > readTo ? plural(total - readTo, "new line") : "To the end"}
        </Button>
      )}
    </div>
  );
}

/** Returns where the linked line is, and tells it once when it comes. */
function useFound({ lines }: LogSource, place: LinePlace | undefined, onFound: (index: number) => void): number | undefined {
  const known = useRef<{ key: string; number: number; looked: number }>({ key: "", number: -1, looked: 0 });
  const key = place ? `${place.time},${place.source}` : "";
  if (known.current.key !== key) known.current = { key, number: -1, looked: 0 };
  const state = known.current;
  const end = lines.length + lines.dropped;
  // Lines are numbered from the first one that was ever there, so that none is looked at twice.
  for (let number = Math.max(state.looked, lines.dropped); place && state.number < 0 && number < end; number += 1) {
    if (isAt(lines.at(number - lines.dropped), place)) state.number = number;
  }
  state.looked = end;
  const index = state.number - lines.dropped;
  const isThere = state.number >= 0 && index >= 0;
  const latest = useRef(onFound);
  latest.current = onFound;
  // A line that is chosen here is in view already.
  const isFirst = useRef(place !== undefined);
  useLayoutEffect(() => {
    if (!isThere) return;
    if (isFirst.current) latest.current(index);
    isFirst.current = false;
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isThere, key]);
  return isThere ? index : undefined;
}

/** Lines that fall out above what is read must not move it. */
function useStayInPlace(frame: { current: HTMLElement | null }, dropped: number, isReading: boolean) {
  const before = useRef(dropped);
  useLayoutEffect(() => {
    const gone = dropped - before.current;
    before.current = dropped;
    if (gone > 0 && isReading && frame.current) frame.current.scrollTop -= gone * LINE;
  }, [frame, dropped, isReading]);
}

function LogLine({ line, wraps, times, highlight, isSingle, isLinked, onPlace }: { line: Line | undefined; isLinked: boolean } & Omit<LogLinesProps, "source" | "place" | "isFiltered">) {
  if (!line) return null;
  const colour = colourOf(line.source);
  const [pod = "", container = ""] = line.source.split("/");
  return (
    <div aria-current={isLinked || undefined} className={classes("flex min-h-5 border-l-[3px] pr-3 pl-2", levelLooks[levelOf(line.text) ?? "none"], isLinked && "bg-selected! outline-1 -outline-offset-1 outline-accent")} style={{ borderColor: colour }}>
      {times !== "none" && (
        <span title="Link to this line" onClick={() => onPlace(isLinked ? undefined : line)} className="numbers shrink-0 cursor-pointer pr-3 text-dim select-none hover:text-accent">{formatLineTime(line.time, times)}</span>
      )}
      {!isSingle && (
        <span title={`${pod} ${container}`} style={{ color: colour }} className="w-40 shrink-0 truncate pr-3 select-none">
          {shortPod(pod)}<span className="opacity-75"> {container}</span>
        </span>
      )}
      <span className={wraps ? "min-w-0 break-all whitespace-pre-wrap" : "whitespace-pre"}><Marked text={line.text} mark={highlight} /></span>
    </div>
  );
}

function Marked({ text, mark }: { text: string; mark: string }) {
  if (mark === "") return text || " ";
  const place = text.toLowerCase().indexOf(mark.toLowerCase());
  if (place < 0) return text || " ";
  return (
    <>
      {text.slice(0, place)}
      <mark className="rounded-[2px] bg-warn-fill text-text outline-1 outline-warn">{text.slice(place, place + mark.length)}</mark>
      {text.slice(place + mark.length)}
    </>
  );
}

const levelLooks = { error: "bg-bad-fill", warn: "bg-warn-fill", none: undefined };

/** The end of a pod's name tells replicas apart. */
function shortPod(pod: string): string {
  const parts = pod.split("-");
  return parts.length > 2 ? parts.slice(-2).join("-") : pod;
}

const hues = [215, 28, 155, 285, 345, 185, 55, 250];

/** Gives each container one of eight colours by its name, so that it keeps it. */
function colourOf(source: string): string {
  let hash = 0;
  for (const sign of source) hash = (hash * 31 + (sign.codePointAt(0) ?? 0)) >>> 0;
  const hue = hues[hash % hues.length] ?? 215;
  return `light-dark(hsl(${hue} 70% 34%), hsl(${hue} 70% 74%))`;
}

/** Writes the time of a line to the millisecond. */
export function formatLineTime(nanos: bigint | undefined, times: Times): string {
  if (nanos === undefined || times === "none") return "";
  const date = new Date(Number(nanos / 1_000_000n));
  if (times === "utc") return date.toISOString().slice(5, 23).replace("T", " ");
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}
