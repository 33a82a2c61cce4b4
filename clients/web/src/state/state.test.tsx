import { createRoot } from "react-dom/client";
import { act } from "react";
import { expect, it } from "vitest";
import { states, type State } from "@/words";
import { healthState, syncState } from "./fromContract";
import { shapes } from "./shapes";
import { StateMark } from "./StateMark";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

it("gives each state an outline of its own", () => {
  const used = Object.values(states).map((state) => state.shape);
  expect(new Set(used).size).toBe(used.length);
  expect(Object.keys(shapes).sort()).toEqual([...used].sort());
});

it("shows each state as shape and word", () => {
  const box = document.createElement("div");
  const root = createRoot(box);
  for (const state of Object.keys(states) as State[]) {
    act(() => root.render(<StateMark state={state} />));
    expect(box.textContent).toBe(states[state].word);
    expect(box.querySelector("svg")?.dataset["shape"]).toBe(states[state].shape);
  }
});

it("maps every value of the contract, unknown ones to Unknown", () => {
  expect([0, 1, 2, 3, 4, 5, 6, 99].map((value) => states[healthState(value)].word)).toEqual([
    "Unknown", "Unknown", "Progressing", "Healthy", "Suspended", "Degraded", "Missing", "Unknown",
  ]);
  expect([1, 2, 3].map((value) => states[syncState(value)].word)).toEqual(["Unknown", "Synced", "OutOfSync"]);
});
