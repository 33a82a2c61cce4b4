import { useMemo, useState } from "react";
import { plural } from "@/format";
import { classes, Skeleton } from "@/ui";
import { useDiff } from "./useDiff";
import { countChanges, type DiffRow, toRows } from "./rows";
import { VirtualLines } from "./VirtualLines";
import { YamlLine } from "./YamlLine";

export interface DiffViewProps {
  label: string;
  /** The text before and after. */
  a: string;
  b: string;
  maxHeight?: number;
  className?: string;
}

/** A unified diff; equal lines far from a change are a gap that opens. */
export function DiffView({ label, a, b, maxHeight, className }: DiffViewProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const before = useMemo(() => linesOf(a), [a]);
  const after = useMemo(() => linesOf(b), [b]);
  const runs = useDiff(before, after);
  const rows = useMemo(() => runs && toRows(before, after, runs, open), [before, after, runs, open]);
  if (!rows || !runs) return <Skeleton className="w-1/2" />;
  if (runs.every(({ kind }) => kind === "equal")) return <p className="text-dim">Both are equal.</p>;
  return (
    <VirtualLines
      label={label}
      count={rows.length}
      {...(maxHeight === undefined ? {} : { maxHeight })}
      {...(className ? { className } : {})}
      line={(index) => <Line row={rows[index]} onOpen={(id) => setOpen(new Set([...open, id]))} />}
    />
  );
}

export function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

/** How many lines a diff adds and removes. */
export function ChangeCount({ a, b }: { a: string; b: string }) {
  const before = useMemo(() => linesOf(a), [a]);
  const after = useMemo(() => linesOf(b), [b]);
  const runs = useDiff(before, after);
  if (!runs) return null;
  const { added, removed } = countChanges(runs);
  return (
    <span className="numbers shrink-0 text-label">
      <span className="text-ok">+{added}</span> <span className="text-bad">−{removed}</span>
    </span>
  );
}

const looks = { equal: "", removed: "bg-removed", added: "bg-added" };
const signs = { equal: " ", removed: "−", added: "+" };
const words = { equal: "", removed: "removed: ", added: "added: " };

/** One line of a diff; a gap opens where its lines are there. */
export function Line({ row, onOpen }: { row: DiffRow | undefined; onOpen?: (id: string) => void }) {
  if (!row) return null;
  if (row.kind === "gap") {
    if (!onOpen) return <span className="flex h-5 items-center bg-panel px-3 text-label text-dim">⋯ {plural(row.count, "equal line")}</span>;
    return (
      <button type="button" onClick={() => onOpen(row.id)} className="sticky left-0 flex h-5 w-full items-center bg-panel px-3 text-label text-dim hover:text-text">
        ⋯ {plural(row.count, "equal line")}
      </button>
    );
  }
  return (
    <span className={classes("flex h-5 whitespace-pre", looks[row.kind])}>
      <Number>{"a" in row ? row.a : undefined}</Number>
      <Number>{"b" in row ? row.b : undefined}</Number>
      <span aria-hidden className={classes("w-4 shrink-0 select-none", row.kind === "added" && "text-ok", row.kind === "removed" && "text-bad")}>{signs[row.kind]}</span>
      <span className="sr-only">{words[row.kind]}</span>
      <span className="pr-3"><YamlLine text={row.text} /></span>
    </span>
  );
}

function Number({ children }: { children: number | undefined }) {
  return <span aria-hidden className="numbers w-10 shrink-0 pr-2 text-right text-dim select-none">{children}</span>;
}
