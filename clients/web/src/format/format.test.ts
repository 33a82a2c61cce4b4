import { describe, expect, it } from "vitest";
import { formatBytes, formatChange, formatCount, formatPercent, formatShortCount, plural } from "./number";
import { authorName, initials, plainLine, shortDigest, shortHash, truncateMiddle } from "./text";
import { formatAge, formatAgo, formatDuration, formatExact, formatTime, formatUtc } from "./time";

const zone = "Europe/Berlin";
const now = Date.UTC(2026, 10, 28, 13, 0, 0);
const minutes = (count: number) => count * 60_000;

describe("numbers", () => {
  it("separates thousands and shortens only over 10,000", () => {
    expect(formatCount(1234567n)).toBe("1,234,567");
    expect(formatShortCount(9_999)).toBe("9,999");
    expect(formatShortCount(12_345)).toBe("12.3k");
    expect(formatShortCount(999_960)).toBe("1M");
  });
  it("never rounds a share to none or to all", () => {
    expect(formatPercent(0.001)).toBe("<1%");
    expect(formatPercent(0.999)).toBe("99%");
    expect(formatPercent(1)).toBe("100%");
  });
  it("writes changes with a real minus and none against nothing", () => {
    expect(formatChange(88, 100)).toBe("−12%");
    expect(formatChange(5, 0)).toBeUndefined();
  });
  it("writes sizes in IEC units", () => {
    expect(formatBytes(512)).toBe("512 B");
    expect(formatBytes(1536)).toBe("1.5 KiB");
    expect(formatBytes(20n * 1024n * 1024n)).toBe("20 MiB");
  });
  it("uses the singular for one", () => {
    expect(plural(1, "app")).toBe("1 app");
    expect(plural(1200, "app")).toBe("1,200 apps");
  });
});

describe("times", () => {
  it("writes durations in the units of the design", () => {
    expect(formatDuration(41_900)).toBe("41 s");
    expect(formatDuration(minutes(8))).toBe("8 min");
    expect(formatDuration(minutes(125))).toBe("2 h 5 min");
    expect(formatDuration(minutes(60 * 24 * 6))).toBe("6 d");
    expect(formatAge(minutes(125))).toBe("2 h");
  });
  it("is relative within a day and a date afterwards", () => {
    expect(formatTime(now - 2_000, now, { zone })).toBe("now");
    expect(formatTime(now - minutes(8), now, { zone })).toBe("8 min");
    expect(formatTime(now - minutes(60 * 25), now, { zone })).toBe("Fri 13:00");
    expect(formatTime(Date.UTC(2026, 10, 12), now, { zone })).toBe("12 Nov");
    expect(formatTime(Date.UTC(2025, 10, 12), now, { zone })).toBe("12 Nov 2025");
    expect(formatTime(now + minutes(14), now, { zone })).toBe("in 14 min");
  });
  it("says ago in sentences, where the time is relative", () => {
    expect(formatAgo(now - minutes(8), now, { zone })).toBe("8 min ago");
    expect(formatAgo(now, now, { zone })).toBe("now");
    expect(formatAgo(now - minutes(60 * 25), now, { zone })).toBe("Fri 13:00");
  });
  it("tells the local time with its zone and UTC", () => {
    expect(formatExact(now, { zone })).toBe("28 Nov 2026, 14:00:00 CET\n2026-11-28T13:00:00Z");
    expect(formatUtc(now + 123)).toBe("2026-11-28T13:00:00Z");
  });
});

describe("texts", () => {
  it("shortens hashes and nothing else", () => {
    expect(shortHash("3f1c9a2".padEnd(40, "0"))).toBe("3f1c9a2");
    expect(shortHash("v1.9.0")).toBe("v1.9.0");
    expect(shortDigest(`sha256:${"ab".repeat(32)}`)).toBe("sha256:abababababab");
  });
  it("cuts names in the middle without breaking signs", () => {
    expect(truncateMiddle("checkout-production-eu-1", 11)).toBe("check…-eu-1");
    expect([...truncateMiddle("👩‍🚀".repeat(20), 9)]).toHaveLength(9);
  });
  it("drops control and direction signs of foreign texts", () => {
    expect(plainLine("a\u202eb\u0000c\nsecond")).toBe("abc");
    expect(authorName("Ada Lovelace <ada@example.com>")).toBe("Ada Lovelace");
    expect(initials("Ada King-Lovelace")).toBe("AL");
  });
});
