import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { Health } from "@contract/causeway/platform/v1/part_service_pb";
import { Connection } from "@contract/causeway/platform/v1/runtime_service_pb";
import { OperationPhase } from "@contract/causeway/inventory/v1/application_pb";
import { phaseState } from "./state/fromContract";
import { connectionState, partState } from "./topology/words";
import { actions, capitalWords, lowerWords, states } from "./words";

const cli = readFileSync("../cli/src/words.rs", "utf8");
const explained = readFileSync("../cli/src/explain/states.rs", "utf8");
const commands = ["api_key", "app", "app/refresh", "rollout", "rollout/act", "runtime", "workflow", "workflow/act"]
  .map((file) => readFileSync(`../cli/src/${file}.rs`, "utf8"))
  .join("\n");

/** Returns the values of an enum of the contract, but for the unspecified one. */
const valuesOf = (values: Record<string, string | number>) => Object.values(values).filter((value): value is number => typeof value === "number" && value > 0);

it("uses the words of the command line for health and sync states", () => {
  for (const state of ["healthy", "progressing", "degraded", "suspended", "missing", "unknown", "synced", "outOfSync"] as const) {
    expect(cli).toContain(`=> "${states[state].word}"`);
  }
});

it("writes values of enums as the command line does", () => {
  expect(capitalWords("OUT_OF_SYNC")).toBe("OutOfSync");
  expect(lowerWords("NOT_SERVING")).toBe("not serving");
});

it("uses words for operations, runtimes and parts that the command line explains", () => {
  const words = [
    ...valuesOf(OperationPhase).map((value) => phaseState(value).word),
    ...valuesOf(Connection).map((value) => connectionState(value).word),
    ...valuesOf(Health).map((value) => partState(value).word),
  ];
  expect(words.length).toBeGreaterThan(10);
  for (const word of words) expect(explained).toContain(`word: "${word}"`);
});

/** Actions that are a flag of another command in the command line. */
const flags: Record<string, string> = { "Hard refresh": "(hard refresh)", "Promote full": "Promote fully" };

it("begins each action with the verb of its command", () => {
  for (const action of Object.values(actions)) {
    expect(commands).toContain(flags[action] ?? `/// ${action} `);
  }
});
