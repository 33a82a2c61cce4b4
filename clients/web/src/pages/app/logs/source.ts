import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs, type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { Resource } from "@contract/causeway/inventory/v1/application_pb";
import { LogService, type StreamLogsRequestSchema, type StreamLogsResponse } from "@contract/causeway/proxy/v1/log_service_pb";
import { type ApplicationKey, clientOf, toProblem, type Problem } from "@/data";
import { isOfLevel, type Level, patternOf } from "./levels";
import { type Line, LineRing, plainText, Positions, splitTime } from "./ring";

/** What of a log is read. */
export interface LogQuery {
  resource: Resource | undefined;
  container: string;
  /** Text that the server filters by. */
  text: string;
  invert: boolean;
  level: Level;
  previous: boolean;
  follow: boolean;
  /** Milliseconds back from now; 0 for the last lines. */
  since: number;
  /** Nanoseconds since 1970 of a linked line, which is read with what came before it. */
  around: bigint | undefined;
}

export type LogState = { kind: "connecting" | "live" | "ended" } | { kind: "reconnecting"; since: number } | { kind: "failed"; problem: Problem };

/** Last lines of each container that a log starts with. */
const TAIL = 1_000n;
/** So long lines are gathered and sorted by time before they are shown, in milliseconds. */
const GATHERING = 80;
/** The last lines of all containers come in a burst. */
const FIRST_GATHERING = 400;
/** So much before a linked line is read, in nanoseconds. */
const BEFORE_LINE = 60_000_000_000n;
const FIRST_DELAY = 500;
const LONGEST_DELAY = 10_000;

/** Reads one log into a ring; after a lost connection it goes on where it was. */
export class LogSource {
  readonly lines = new LineRing();
  readonly containers = new Map<string, string>();
  state: LogState = { kind: "connecting" };
  private readonly positions = new Positions();
  private readonly controller = new AbortController();
  private readonly partial = new Map<string, string>();
  private pending: Line[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly key: ApplicationKey,
    private readonly query: LogQuery,
    private readonly changed: () => void,
  ) {}

  start() {
    void this.run();
  }

  stop() {
    clearTimeout(this.timer);
    this.controller.abort();
  }

  private async run() {
    const { signal } = this.controller;
    for (let delay = FIRST_DELAY; !signal.aborted; delay = Math.min(delay * 2, LONGEST_DELAY)) {
      const before = this.lines.length + this.lines.dropped;
      try {
        this.positions.restart();
        for await (const response of clientOf(LogService).streamLogs(this.request(), { signal })) this.take(response);
        if (!this.query.follow || this.isSinglePod()) return this.set({ kind: "ended" });
      } catch (error) {
        if (signal.aborted) return;
        const problem = toProblem(error);
        if (!problem.retryable) return this.set({ kind: "failed", problem });
      }
      if (this.lines.length + this.lines.dropped > before) delay = FIRST_DELAY;
      this.set({ kind: "reconnecting", since: this.state.kind === "reconnecting" ? this.state.since : Date.now() });
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }

  private isSinglePod(): boolean {
    return this.query.resource?.kind === "Pod";
  }

  private request(): MessageInitShape<typeof StreamLogsRequestSchema> {
    const { resource, container, text, invert, level, previous, follow } = this.query;
    const { runtime, namespace, name } = this.key;
    const start = this.firstTime();
    return {
      runtime,
      applicationNamespace: namespace,
      application: name,
      ...(resource ? { group: resource.group, kind: resource.kind, namespace: resource.namespace, name: resource.name } : {}),
      container,
      allContainers: container === "",
      follow: follow && !previous,
      previous,
      timestamps: true,
      positions: true,
      // The server has one filter; beside a text the level is looked at here.
      grep: text || patternOf(level),
      grepRegex: text === "" && level !== "all",
      grepIgnoreCase: text !== "",
      grepInvert: invert && text !== "",
      ...(start ? { since: start } : { tail: TAIL }),
      resumeAfter: this.positions.entries().map(([source, { time, sequence }]) => ({ ...splitSource(source), time: toTimestamp(time), sequence })),
    };
  }

  /** The time of the first line; undefined for the last lines of each container. */
  private firstTime(): Timestamp | undefined {
    const { since, around } = this.query;
    const resume = this.positions.earliest();
    if (resume !== undefined) return toTimestamp(resume - (resume % 1_000_000_000n));
    if (around !== undefined) return toTimestamp(around - BEFORE_LINE);
    return since > 0 ? timestampFromMs(Date.now() - since) : undefined;
  }

  private take({ pod, container, event }: StreamLogsResponse) {
    const source = `${pod}/${container}`;
    if (event.case === "begin") this.containers.set(source, "");
    if (event.case === "end" && event.value.error) this.containers.set(source, event.value.error);
    if (event.case === "lines") for (const line of this.completeLines(source, event.value)) this.takeStamped(source, line);
    if (event.case === "positioned") {
      for (const { time, sequence, text } of event.value.lines) {
        const at = time && toNanos(time);
        const [stamped, rest] = splitTime(text);
        this.add(source, at, stamped !== undefined && stamped === at ? rest : text, sequence);
      }
    }
    this.set({ kind: "live" });
  }

  /** A chunk may end inside a line; the rest comes with the next one. */
  private completeLines(source: string, text: string): string[] {
    const lines = ((this.partial.get(source) ?? "") + text).split("\n");
    this.partial.set(source, lines.pop() ?? "");
    return lines;
  }

  private takeStamped(source: string, line: string) {
    const [time, text] = splitTime(line);
    this.add(source, time, text);
  }

  private add(source: string, time: bigint | undefined, text: string, sequence?: number) {
    if (!this.positions.isNew(source, time, sequence) || !isOfLevel(text, this.query.level)) return;
    this.pending.push({ source, time, text: plainText(text) });
    this.timer ??= setTimeout(() => this.flush(), this.lines.length === 0 ? FIRST_GATHERING : GATHERING);
  }

  /** Containers arrive one after the other, and are one log by time. */
  private flush() {
    this.timer = undefined;
    const sorted = this.pending.sort((a, b) => Number((a.time ?? 0n) - (b.time ?? 0n)));
    this.pending = [];
    for (const line of sorted) this.lines.push(line);
    this.changed();
  }

  private set(state: LogState) {
    this.state = state;
    this.changed();
  }
}

function splitSource(source: string): { pod: string; container: string } {
  const slash = source.indexOf("/");
  return { pod: source.slice(0, slash), container: source.slice(slash + 1) };
}

function toNanos({ seconds, nanos }: Timestamp): bigint {
  return seconds * 1_000_000_000n + BigInt(nanos);
}

function toTimestamp(nanos: bigint): Timestamp {
  return create(TimestampSchema, { seconds: nanos / 1_000_000_000n, nanos: Number(nanos % 1_000_000_000n) });
}
