import type { DiffRow } from "../diff/rows";

/** Reads a unified diff as rows; what lies between its parts is a gap with its count. A text that is no diff becomes undefined. */
export function parseUnified(text: string): DiffRow[] | undefined {
  const rows: DiffRow[] = [];
  let next: { a: number; b: number } | undefined;
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (head) {
      // A part without lines names the line before it.
      const a = Number(head[1]) + (head[2] === "0" ? 1 : 0);
      const b = Number(head[3]) + (head[4] === "0" ? 1 : 0);
      const hidden = a - (next?.a ?? 1);
      if (hidden > 0) rows.push({ kind: "gap", id: String(a), count: hidden });
      next = { a, b };
    } else if (next && /^[ +-]/.test(line)) {
      rows.push(rowOf(line, next));
    } else if (next && line === "") {
      rows.push(rowOf(" ", next));
    }
  }
  return next ? rows : undefined;
}

function rowOf(line: string, next: { a: number; b: number }): DiffRow {
  const text = line.slice(1);
  if (line.startsWith("-")) return { kind: "removed", text, a: next.a++ };
  if (line.startsWith("+")) return { kind: "added", text, b: next.b++ };
  return { kind: "equal", text, a: next.a++, b: next.b++ };
}

/** Counts what is added and removed. */
export function changesOf(rows: readonly DiffRow[]): { added: number; removed: number } {
  const count = (kind: DiffRow["kind"]) => rows.filter((row) => row.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}
