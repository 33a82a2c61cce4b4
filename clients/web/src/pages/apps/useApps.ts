import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { now } from "@/format";
import { useFavourites, type ViewSpec } from "@/data";
import { noQuery, readQuery, sorts, toFilter, writeQuery, type ApplicationQuery, type FilterName } from "@/data/url";
import type { Search } from "@/search";

const TYPING = 40;
const TYPING_IN_URL = 300;

/** The state of the page, as the URL has it, and the list that it means. */
export function useApps() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const { favourites } = useFavourites();
  const query = useMemo(() => readQuery(search), [search]);
  const change = (next: Partial<ApplicationQuery>, replace = false) =>
    void navigate({ to: ".", search: (current: Search) => writeQuery({ ...readQuery(current), ...next }, current), replace });
  const typing = useTyping(query.text, (text) => change({ text }, true));
  const spec = useMemo<ViewSpec>(
    () => ({ filter: toFilter({ ...query, text: typing.applied }, now(), favourites), sort: sorts[query.sort], descending: query.descending }),
    [query, typing.applied, query.favourites && favourites],
  );
  return {
    query,
    spec,
    text: typing.text,
    setText: typing.setText,
    change,
    toggle: (name: FilterName, value: string) => change({ filters: { ...query.filters, [name]: toggled(query.filters[name] ?? [], value) } }),
    clear: () => change({ ...noQuery, sort: query.sort, descending: query.descending, layout: query.layout, group: query.group }),
    open: (text: string) => void navigate({ to: "/apps", search: Object.fromEntries(new URLSearchParams(text)) }),
  };
}

export type Apps = ReturnType<typeof useApps>;

function toggled(values: readonly string[], value: string): string[] {
  return values.includes(value) ? values.filter((each) => each !== value) : [...values, value];
}

/** The text while it is typed: the list follows after 40 ms, the URL after 300 ms. */
function useTyping(inUrl: string, write: (text: string) => void) {
  const [text, setText] = useState(inUrl);
  const [applied, setApplied] = useState(inUrl);
  const written = useRef(inUrl);
  const latest = useRef(write);
  latest.current = write;
  useEffect(() => {
    // Another entry of the history, or a chip that took a condition away.
    if (inUrl === written.current) return;
    written.current = inUrl;
    setText(inUrl);
    setApplied(inUrl);
  }, [inUrl]);
  useEffect(() => {
    const list = setTimeout(() => setApplied(text), TYPING);
    const url = setTimeout(() => {
      if (text === written.current) return;
      written.current = text;
      latest.current(text);
    }, TYPING_IN_URL);
    return () => {
      clearTimeout(list);
      clearTimeout(url);
    };
  }, [text]);
  return { text, setText, applied };
}
