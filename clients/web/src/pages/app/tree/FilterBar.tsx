import { useEffect, useRef, useState, type ReactNode } from "react";
import { formatCount, plural } from "@/format";
import { useShortcuts } from "@/shell";
import { Button, SearchField, Select, Switch } from "@/ui";
import { useApp } from "../context";
import { isFiltering, kindsOf, statesOf, useResourceFilter } from "./filter";

const ALL = "";
/** Typing reaches the URL after this time. */
const TYPING = 300;

/** Filters of tree and list: text, kind, state, only broken. */
export function FilterBar({ shown, children }: { shown: number; children?: ReactNode }) {
  const { resources } = useApp();
  const [filter, change] = useResourceFilter();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useTyped(filter.text, (typed) => change({ text: typed }));
  useShortcuts([{ keys: "/", text: "Filter resources", group: "Application", run: () => input.current?.focus() }]);
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 pb-2">
      <SearchField label="Filter resources" placeholder="name or image" value={text} onChange={setText} inputRef={input} className="w-52 max-wide:w-full" />
      <Select label="Kind" hideLabel className="w-36" value={filter.kind} onChange={(kind) => change({ kind })} choices={[{ key: ALL, text: "All kinds" }, ...kindsOf(resources)]} />
      <Select label="State" hideLabel className="w-32" value={filter.state} onChange={(state) => change({ state })} choices={[{ key: ALL, text: "All states" }, ...statesOf(resources)]} />
      <Switch isSelected={filter.onlyBroken} onChange={(onlyBroken) => change({ onlyBroken })}>Only broken</Switch>
      {isFiltering(filter) && <Button tone="quiet" onPress={() => (setText(""), change({ text: "", kind: "", state: "", onlyBroken: false }))}>Clear</Button>}
      <span className="numbers text-label text-dim" role="status">
        {shown === resources.length ? plural(resources.length, "resource") : `${formatCount(shown)} of ${plural(resources.length, "resource")}`}
      </span>
      <span className="grow" />
      {children}
    </div>
  );
}

/** A text that is shown at once and told after a pause. */
function useTyped(value: string, tell: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const latest = useRef(tell);
  latest.current = tell;
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => latest.current(text), TYPING);
    return () => clearTimeout(timer);
  }, [text, value]);
  return [text, setText];
}
