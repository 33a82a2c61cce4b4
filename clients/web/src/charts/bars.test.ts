import { expect, it } from "vitest";
import { axisEnd, totals } from "./bars";

const bar = (succeeded: number, failed: number) => ({ from: 0, succeeded, failed });

it("ends the axis at a round value that holds the highest bar", () => {
  expect(axisEnd([])).toBe(1);
  expect(axisEnd([bar(3, 1)])).toBe(5);
  expect(axisEnd([bar(10, 0), bar(2, 9)])).toBe(20);
  expect(axisEnd([bar(1000, 1)])).toBe(2000);
});

it("adds up succeeded and failed ones", () => {
  expect(totals([bar(3, 1), bar(2, 0)])).toEqual({ succeeded: 5, failed: 1 });
});
