import { expect, test } from "vitest";
import { pauseLength, stepsOf } from "./steps";

test("steps before the current one are done, those after it wait", () => {
  expect(stepsOf(["setWeight 20", "pause", "setWeight 60"], 1)).toEqual([
    { text: "20 %", state: "done", weight: 20 },
    { text: "pause until promoted", state: "current", weight: undefined },
    { text: "60 %", state: "waiting", weight: 60 },
  ]);
});

test("all steps are done when the current one is behind the last", () => {
  expect(stepsOf(["setWeight 20", "pause 30s"], 2).map(({ state }) => state)).toEqual(["done", "done"]);
});

test("pauseLength reads durations, and none for a pause that a person ends", () => {
  expect(pauseLength("pause 30s")).toBe(30_000);
  expect(pauseLength("pause 1h30m")).toBe(5_400_000);
  expect(pauseLength("pause 45")).toBe(45_000);
  expect(pauseLength("pause")).toBeUndefined();
  expect(pauseLength("setWeight 10")).toBeUndefined();
});
