import { expect, it } from "vitest";
import { isOfLevel, levelOf, patternOf } from "./levels";
import { isAt, placeText, readPlace } from "./place";

it("reads back the place of a line to the nanosecond", () => {
  const line = { source: "web-7f9-a/main", time: 1_764_363_000_123_456_789n, text: "hello" };
  const text = placeText(line);
  expect(text).toBe("2025-11-28T20:50:00.123456789Z,web-7f9-a/main");
  expect(readPlace(text)).toEqual({ source: line.source, time: line.time });
  expect(isAt(line, readPlace(text))).toBe(true);
  expect(isAt({ ...line, source: "web-7f9-b/main" }, readPlace(text))).toBe(false);
});

it("takes nothing else for a place", () => {
  for (const text of [undefined, "", "now", "2025-11-28T20:50:00Z,a/b", "2025-99-28T20:50:00.000000000Z,a/b", "2025-11-28T20:50:00.000000000Z,a"]) expect(readPlace(text)).toBeUndefined();
  expect(placeText({ source: "a/b", time: undefined })).toBeUndefined();
});

it("knows the level of what programs write", () => {
  const errors = ["2026 ERROR no such host", "panic: nil map", "level=error msg=x", 'level="fatal"', '{"level":"error"}', '{"severity": "ERROR"}', '{"lvl":"Fatal"}'];
  for (const text of errors) expect(levelOf(text), text).toBe("error");
  for (const text of ["WARN slow", "[WARNING] x", "level=warning", '{"level":"warn"}']) expect(levelOf(text), text).toBe("warn");
  for (const text of ["GET /errors 200", "INFO ok", '{"level":"info"}', "WARNINGS=0 x"]) expect(levelOf(text), text).toBeUndefined();
});

it("filters by level and above", () => {
  expect(["ERROR", "WARN", "INFO"].filter((text) => isOfLevel(text, "warn"))).toEqual(["ERROR", "WARN"]);
  expect(["ERROR", "WARN", "INFO"].filter((text) => isOfLevel(text, "error"))).toEqual(["ERROR"]);
  expect(isOfLevel("INFO", "all")).toBe(true);
  expect(patternOf("all")).toBe("");
  expect(patternOf("warn").length).toBeLessThan(1024);
});
