import { useCallback, useEffect, useRef, useState } from "react";
import type { Failure } from "@/failure/failure";
import { store, type StoreConnection } from "./connection";
import { specKey, type ViewSpec, type WindowUpdate } from "./protocol";
import type { Row } from "./row";

/** What a page knows of a list. */
interface WindowState {
  /** The list that the rows are of; while another one loads it is not the wanted one. */
  key: string;
  isLoaded: boolean;
  total: number;
  rows: ReadonlyMap<number, Row>;
  moved: number;
  arrived: number;
  changes: number;
  failure: Failure | undefined;
}

export interface ListWindow extends Omit<WindowState, "key" | "rows"> {
  /** The rows are those of the list before; show them dimmed. */
  isPending: boolean;
  /** Returns a row of the shown range; undefined where it is still loading. */
  row: (index: number) => Row | undefined;
  rows: ReadonlyMap<number, Row>;
  /** Tells which rows are seen; those ahead are read, too. */
  show: (from: number, to: number) => void;
  /** Tells if rows may move: pointer still, nothing selected, at the top. */
  rest: (atRest: boolean) => void;
  /** Applies the present order. */
  apply: () => void;
}

const nothing: WindowState = { key: "", isLoaded: false, total: 0, rows: new Map(), moved: 0, arrived: 0, changes: 0, failure: undefined };
const FIRST_RANGE = 60;

/** Follows a list: its total, and the rows of the range that is shown. */
export function useWindow(spec: ViewSpec, firstIndex = 0): ListWindow {
  const key = specKey(spec);
  const [state, setState] = useState(nothing);
  const opened = useRef<ReturnType<StoreConnection["open"]>>(undefined);
  const latest = useRef(spec);
  latest.current = spec;
  const range = useRef([firstIndex, firstIndex + FIRST_RANGE] as const);
  useEffect(() => {
    const [from, to] = range.current;
    const subscription = store().open(latest.current, from, to, (update) => setState((before) => merge(before, key, update)));
    opened.current = subscription;
    return () => subscription.close();
  }, [key]);
  const show = useCallback((from: number, to: number) => {
    const [shownFrom, shownTo] = range.current;
    if (from === shownFrom && to === shownTo) return;
    range.current = [from, to];
    opened.current?.show(from, to);
  }, []);
  const { rows, key: shownKey, ...rest } = state;
  return {
    ...rest,
    rows,
    isPending: shownKey !== key,
    row: (index) => rows.get(index),
    show,
    rest: useCallback((atRest: boolean) => opened.current?.rest(atRest), []),
    apply: useCallback(() => opened.current?.apply(), []),
  };
}

/** Adds an update; the rows of the list before stay until the first ones of this list are there. */
function merge(before: WindowState, key: string, update: WindowUpdate): WindowState {
  const isSame = before.key === key;
  if (!isSame && !update.isLoaded && !update.failure) return before;
  const rows = new Map<number, Row>();
  if (isSame) for (const [index, row] of before.rows) if (index >= update.from && index < update.to) rows.set(index, row);
  for (const [index, row] of update.rows) {
    if (row) rows.set(index, row);
    else rows.delete(index);
  }
  const { isLoaded, total, moved, arrived, changes, failure } = update;
  return { key, isLoaded, total, rows, moved, arrived, changes, failure };
}
