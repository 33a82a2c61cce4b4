/** Spans of time that pages offer, as they stand in the URL. */
export const ranges = ["1h", "6h", "24h", "7d", "30d"] as const;
export type Range = (typeof ranges)[number];

const HOUR = 3_600_000;
const lengths: Record<Range, number> = { "1h": HOUR, "6h": 6 * HOUR, "24h": 24 * HOUR, "7d": 168 * HOUR, "30d": 720 * HOUR };
const intervals: Record<Range, number> = { "1h": 12, "6h": 24, "24h": 24, "7d": 28, "30d": 30 };

/** Reads a span of the URL; anything else becomes 24 hours. */
export function readRange(text: string | undefined): Range {
  return ranges.find((range) => range === text) ?? "24h";
}

/** Returns a span's bounds that end with the current interval, so that equal requests stay equal for a while. */
export function rangeBounds(range: Range, now: number): { from: number; to: number; intervals: number } {
  const interval = lengths[range] / intervals[range];
  const to = Math.ceil(now / interval) * interval;
  return { from: to - lengths[range], to, intervals: intervals[range] };
}
