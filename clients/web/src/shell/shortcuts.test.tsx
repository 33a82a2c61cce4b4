import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it } from "vitest";
import { setAppearance } from "@/theme/appearance";
import { handleKey, useShortcuts } from "./shortcuts";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

const ran: string[] = [];
let root: Root;

function Keys() {
  const shortcut = (keys: string) => ({ keys, text: keys, group: "Test", run: () => ran.push(keys) });
  useShortcuts([shortcut("g h"), shortcut("s"), shortcut("Ctrl k"), shortcut("?")]);
  return <input />;
}

beforeEach(() => {
  ran.length = 0;
  setAppearance({ letterShortcuts: true });
  document.body.replaceChildren(document.createElement("div"));
  root = createRoot(document.body.firstElementChild as Element);
  act(() => root.render(<Keys />));
  document.body.addEventListener("keydown", handleKey);
});

afterEach(() => {
  document.body.removeEventListener("keydown", handleKey);
  act(() => root.unmount());
});

function press(key: string, options: KeyboardEventInit = {}, target: Element = document.body) {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...options }));
}

it("runs letters, sequences and control keys", () => {
  press("s");
  press("g");
  press("h");
  press("k", { ctrlKey: true });
  press("k", { metaKey: true });
  press("?", { shiftKey: true });
  expect(ran).toEqual(["s", "g h", "Ctrl k", "Ctrl k", "?"]);
});

it("leaves letters to fields, but not the command bar's key", () => {
  const input = document.querySelector("input");
  press("s", {}, input ?? document.body);
  press("k", { ctrlKey: true }, input ?? document.body);
  expect(ran).toEqual(["Ctrl k"]);
});

it("runs no letter where the user switched them off", () => {
  setAppearance({ letterShortcuts: false });
  press("s");
  press("g");
  press("h");
  press("k", { ctrlKey: true });
  expect(ran).toEqual(["Ctrl k"]);
});

it("forgets shortcuts of what is no longer shown", () => {
  act(() => root.render(null));
  press("s");
  expect(ran).toEqual([]);
});
