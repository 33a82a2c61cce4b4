import type { Line } from "./ring";

/** One line of a log, as a link names it. */
export interface LinePlace {
  source: string;
  /** Nanoseconds since 1970. */
  time: bigint;
}

/** Writes the place of a line for the URL; lines without a time have none. */
export function placeText({ source, time }: Pick<Line, "source" | "time">): string | undefined {
  if (time === undefined) return undefined;
  const seconds = new Date(Number(time / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(time % 1_000_000_000n).padStart(9, "0")}Z,${source}`;
}

/** Reads a place from the URL; undefined for what is none. */
export function readPlace(text: string | undefined): LinePlace | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{9})Z,([^,]+\/[^,]+)$/.exec(text ?? "");
  const millis = Date.parse(`${match?.[1]}Z`);
  if (!match || Number.isNaN(millis)) return undefined;
  return { time: BigInt(millis) * 1_000_000n + BigInt(match[2] ?? "0"), source: match[3] ?? "" };
}

/** Reports if a line is at a place. */
export function isAt(line: Line | undefined, place: LinePlace | undefined): boolean {
  return line !== undefined && place !== undefined && line.time === place.time && line.source === place.source;
}
