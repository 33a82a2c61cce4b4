/** One line of a log. */
export interface Line {
  /** Pod and container, as "POD/CONTAINER". */
  source: string;
  /** Nanoseconds since 1970; absent where the stream had no time. */
  time: bigint | undefined;
  text: string;
}

const CHUNK = 1_000;

/** The last lines of a log, at most `capacity`; the oldest fall out in chunks. */
export class LineRing {
  private readonly chunks: Line[][] = [];
  private size = 0;
  /** How many lines fell out. */
  dropped = 0;

  constructor(readonly capacity = 100_000) {}

  get length(): number {
    return this.size;
  }

  push(line: Line) {
    let last = this.chunks.at(-1);
    if (!last || last.length >= CHUNK) {
      last = [];
      this.chunks.push(last);
    }
    last.push(line);
    this.size += 1;
    if (this.size > this.capacity) this.dropOldest();
  }

  at(index: number): Line | undefined {
    return this.chunks[Math.floor(index / CHUNK)]?.[index % CHUNK];
  }

  *[Symbol.iterator](): Generator<Line> {
    for (const chunk of this.chunks) yield* chunk;
  }

  private dropOldest() {
    const first = this.chunks.shift();
    this.size -= first?.length ?? 0;
    this.dropped += first?.length ?? 0;
  }
}

/** Where the log of one container was read to. */
export interface Position {
  time: bigint;
  /** The number of earlier lines with the same time. */
  sequence: number;
}

/** Knows what was read of each container, so that a stream that starts again gives no line twice. */
export class Positions {
  private readonly last = new Map<string, Position>();
  private current = new Map<string, Position>();

  /** Begins another stream: its lines up to the last ones read are skipped. */
  restart() {
    this.current = new Map();
  }

  /** Reports if a line is new; the sequence is counted where the stream does not tell it. */
  isNew(source: string, time: bigint | undefined, sequence?: number): boolean {
    if (time === undefined) return true;
    const before = this.current.get(source);
    const place = { time, sequence: sequence ?? (before?.time === time ? before.sequence + 1 : 0) };
    this.current.set(source, place);
    const read = this.last.get(source);
    if (read && (time < read.time || (time === read.time && place.sequence <= read.sequence))) return false;
    this.last.set(source, place);
    return true;
  }

  /** What was read of each container. */
  entries(): [string, Position][] {
    return [...this.last];
  }

  /** The earliest of the last times; undefined where nothing was read. */
  earliest(): bigint | undefined {
    return this.entries().reduce<bigint | undefined>((least, [, { time }]) => (least === undefined || time < least ? time : least), undefined);
  }
}

const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) ?/;

/** Splits a line that starts with its time (RFC 3339) into nanoseconds and text. */
export function splitTime(text: string): [bigint | undefined, string] {
  const match = stamp.exec(text);
  if (!match) return [undefined, text];
  const millis = Date.parse(`${match[1]}${match[3]}`);
  if (Number.isNaN(millis)) return [undefined, text];
  return [BigInt(millis) * 1_000_000n + BigInt((match[2] ?? "").padEnd(9, "0")), text.slice(match[0].length)];
}

// Escape sequences of terminals (colours, titles, links, clipboard) and control signs; a log is text.
const escapes = /\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[P^_X][^\u001b]*(?:\u001b\\)?|\[[0-?]*[ -/]*[@-~]?|[ -/]*[0-~]?)/g;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Removes what would not be text from a line. */
export function plainText(text: string): string {
  return text.replace(escapes, "").replace(controls, "");
}
