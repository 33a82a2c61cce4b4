import type { Run } from "./lines";

/** One row of a unified diff. */
export type DiffRow =
  | { kind: "equal"; text: string; a: number; b: number }
  | { kind: "removed"; text: string; a: number }
  | { kind: "added"; text: string; b: number }
  | { kind: "gap"; id: string; count: number };

/** Equal lines around a change that stay visible. */
const CONTEXT = 3;

/** Turns runs into the rows of a unified diff; equal lines far from a change become a gap with its count, unless it is open. */
export function toRows(a: readonly string[], b: readonly string[], runs: readonly Run[], open: ReadonlySet<string> = new Set()): DiffRow[] {
  return runs.flatMap((run, index): DiffRow[] => {
    if (run.kind === "removed") return lines(run.count, (line) => ({ kind: "removed", text: a[run.from + line] ?? "", a: run.from + line + 1 }));
    if (run.kind === "added") return lines(run.count, (line) => ({ kind: "added", text: b[run.from + line] ?? "", b: run.from + line + 1 }));
    return equalRows(a, run, index > 0, index < runs.length - 1, open);
  });
}

function equalRows(a: readonly string[], run: Run, isAfterChange: boolean, isBeforeChange: boolean, open: ReadonlySet<string>): DiffRow[] {
  const head = isAfterChange ? CONTEXT : 0;
  const tail = isBeforeChange ? CONTEXT : 0;
  const all = lines<DiffRow>(run.count, (line) => ({ kind: "equal", text: a[run.from + line] ?? "", a: run.from + line + 1, b: run.to + line + 1 }));
  const hidden = run.count - head - tail;
  const id = `${run.from}`;
  if (hidden <= 1 || open.has(id)) return all;
  return [...all.slice(0, head), { kind: "gap", id, count: hidden }, ...all.slice(run.count - tail)];
}

function lines<R>(count: number, row: (line: number) => R): R[] {
  return Array.from({ length: count }, (_, line) => row(line));
}

/** Counts removed and added lines. */
export function countChanges(runs: readonly Run[]): { removed: number; added: number } {
  const sum = (kind: Run["kind"]) => runs.filter((run) => run.kind === kind).reduce((total, { count }) => total + count, 0);
  return { removed: sum("removed"), added: sum("added") };
}
