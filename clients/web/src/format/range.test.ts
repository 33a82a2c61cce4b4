import { expect, it } from "vitest";
import { rangeBounds, ranges, readRange } from "./range";

it("reads known spans and falls back to a day", () => {
  expect(ranges.map(readRange)).toEqual([...ranges]);
  expect(readRange("1y")).toBe("24h");
});

it("returns equal bounds within an interval, which hold now", () => {
  const now = Date.UTC(2026, 10, 28, 13, 1);
  const first = rangeBounds("24h", now);
  expect(rangeBounds("24h", now + 60_000)).toEqual(first);
  expect(first.from).toBeLessThan(now);
  expect(first.to).toBeGreaterThanOrEqual(now);
  expect(first.to - first.from).toBe(24 * 3_600_000);
});
