import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { openCommandBar, openShortcuts } from "./overlays";
import { places } from "./places";
import { handleKey, useShortcuts } from "./shortcuts";

/** Listens for shortcuts and registers those of every page. */
export function Keyboard() {
  const navigate = useNavigate();
  useShortcuts([
    { keys: "Ctrl k", text: "Search and run commands", group: "Everywhere", run: openCommandBar },
    { keys: "/", text: "Go to the filter", group: "Everywhere", run: focusFilter },
    { keys: "?", text: "Show this map", group: "Everywhere", run: openShortcuts },
    ...places.flatMap(({ letter, title, to }) =>
      letter ? [{ keys: `g ${letter}`, text: title, group: "Go to", run: () => void navigate({ to }) }] : [],
    ),
  ]);
  useEffect(() => {
    addEventListener("keydown", handleKey);
    return () => removeEventListener("keydown", handleKey);
  }, []);
  return null;
}

/** Focuses the page's filter: its first search field. */
function focusFilter() {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  field?.focus();
  field?.select();
}
