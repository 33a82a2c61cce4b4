import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { capitalWords, lowerWords, states } from "./words";

const cli = readFileSync("../cli/src/words.rs", "utf8");

it("uses the words of the command line for health and sync states", () => {
  for (const state of ["healthy", "progressing", "degraded", "suspended", "missing", "unknown", "synced", "outOfSync"] as const) {
    expect(cli).toContain(`=> "${states[state].word}"`);
  }
});

it("writes values of enums as the command line does", () => {
  expect(capitalWords("OUT_OF_SYNC")).toBe("OutOfSync");
  expect(lowerWords("NOT_SERVING")).toBe("not serving");
});
