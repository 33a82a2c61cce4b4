import { ApplicationView } from "@contract/causeway/inventory/v1/application_service_pb";
import type { ViewChange } from "@contract/causeway/inventory/v1/view_service_pb";
import type { Failure } from "@/failure/failure";
import { specKey, type ViewSpec } from "./protocol";
import { compareRows, keyOf, toRow, type Row } from "./row";

export const PAGE = 100;
const MOST_PAGES = 40;

/** One change of a list, as the stream tells it. */
export type Change = { kind: "updated"; row: Row } | { kind: "deleted"; key: string };

export function toChange({ change }: ViewChange): Change[] {
  switch (change.case) {
    case "updated":
      return [{ kind: "updated", row: toRow(change.value) }];
    case "deleted":
      return [{ kind: "deleted", key: keyOf(change.value) }];
    default:
      return [];
  }
}

/** A list of which some pages are held: applies changes in place, and knows when its order is no longer the server's. */
export class View {
  readonly key: string;
  readonly level = ApplicationView.ROW;
  /** Resumes the stream after what was read; empty before the first page. */
  cursor = "";
  total = 0;
  isLoaded = false;
  /** The held rows may be in another order than the server's. */
  isStale = false;
  changes = 0;
  failure: Failure | undefined;
  private readonly pages = new Map<number, (Row | undefined)[]>();
  private readonly places = new Map<string, number>();
  private readonly moved = new Set<string>();
  private readonly recent = new Map<string, Change>();
  private readTotal = 0;
  private reads = 0;

  constructor(
    readonly id: string,
    readonly spec: ViewSpec,
  ) {
    this.key = specKey(spec);
  }

  get filter() {
    return this.spec.filter;
  }

  get movedCount(): number {
    return this.moved.size;
  }

  get arrivedCount(): number {
    return Math.max(0, this.total - this.readTotal);
  }

  row(index: number): Row | undefined {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Returns the numbers of the pages of a range that are not held, and marks the others as used. */
  missing(from: number, to: number): number[] {
    const last = Math.floor((Math.max(1, this.isLoaded ? Math.min(to, this.total) : to) - 1) / PAGE);
    const missing: number[] = [];
    for (let page = Math.floor(Math.max(0, from) / PAGE); page <= last; page++) {
      const rows = this.pages.get(page);
      if (rows) this.use(page, rows);
      else missing.push(page);
    }
    return missing;
  }

  /** Changes told from now on until the read ends are applied to what it reads, too. */
  beginRead() {
    this.reads++;
  }

  endRead() {
    if (--this.reads === 0) this.recent.clear();
  }

  /** Puts a page that was read. */
  put(page: number, rows: readonly Row[], total: number) {
    this.setTotal(total, true);
    this.drop(page);
    this.use(page, [...rows]);
    rows.forEach((row, index) => this.place(row, page * PAGE + index));
    for (const oldest of this.pages.keys()) {
      if (this.pages.size <= MOST_PAGES) break;
      this.drop(oldest);
    }
    this.isLoaded = true;
    this.failure = undefined;
    for (const change of this.recent.values()) this.apply(change);
  }

  /** Replaces all that is held by pages that were read again. */
  replace(pages: ReadonlyMap<number, readonly Row[]>, total: number) {
    this.pages.clear();
    this.places.clear();
    this.moved.clear();
    this.isStale = false;
    this.setTotal(total, true);
    this.readTotal = total;
    for (const [page, rows] of pages) this.put(page, rows, total);
  }

  /** Applies a batch of the stream, with the number that matches after it. */
  applyAll(changes: readonly Change[], total: number) {
    for (const change of changes) {
      this.changes++;
      if (this.reads > 0) this.recent.set(keyOfChange(change), change);
      this.apply(change);
    }
    this.setTotal(total, false);
  }

  /** Forgets everything, such as another user's rows. */
  clear() {
    this.replace(new Map(), 0);
    this.isLoaded = false;
    this.cursor = "";
  }

  private setTotal(total: number, isRead: boolean) {
    if (isRead && !this.isLoaded) this.readTotal = total;
    this.total = total;
  }

  private apply(change: Change) {
    const place = this.places.get(keyOfChange(change));
    const held = place === undefined ? undefined : this.row(place);
    if (place === undefined || held === undefined) {
      if (change.kind === "updated") this.meet(change.row);
      else this.isStale ||= !this.isFromTop();
      return;
    }
    if (change.kind === "deleted") {
      if (held.isGone) return;
      this.set(place, { ...held, isGone: true });
      return this.move(held.key);
    }
    const { row } = change;
    if (row.uid === held.uid && row.version < held.version) return;
    this.set(place, row);
    if (held.isGone || this.compare(held, row) !== 0) this.move(row.key);
  }

  /** Decides what a row that is not held does to those that are. */
  private meet(row: Row) {
    const isWithin = [...this.pages].some(([page, rows]) => this.isWithin(row, page, rows));
    if (isWithin || this.pages.size === 0) return this.move(row.key);
    // Its former place is not known: it may have passed the held pages.
    this.isStale ||= !this.isFromTop();
  }

  /** Reports if a row belongs before the end of a held page, and not above the pages held before it without a gap. */
  private isWithin(row: Row, page: number, rows: readonly (Row | undefined)[]): boolean {
    const last = rows.at(-1);
    const isEnd = rows.length < PAGE || (page + 1) * PAGE >= this.total;
    if (last && !isEnd && this.compare(row, last) >= 0) return false;
    let start = page;
    while (this.pages.has(start - 1)) start--;
    const first = this.pages.get(start)?.[0];
    return start === 0 || !first || this.compare(row, first) >= 0;
  }

  /** Reports if the held pages are the first ones without a gap. */
  private isFromTop(): boolean {
    return [...this.pages.keys()].sort((a, b) => a - b).every((page, index) => page === index);
  }

  private compare(a: Row, b: Row): number {
    return compareRows(a, b, this.spec.sort, this.spec.descending);
  }

  private move(key: string) {
    this.isStale = true;
    this.moved.add(key);
  }

  private set(index: number, row: Row) {
    const rows = this.pages.get(Math.floor(index / PAGE));
    if (rows) rows[index % PAGE] = row;
  }

  private place(row: Row, index: number) {
    const before = this.places.get(row.key);
    // The list moved between two reads: the place that was read later counts.
    if (before !== undefined && before !== index) this.isStale = true;
    this.places.set(row.key, index);
  }

  private use(page: number, rows: (Row | undefined)[]) {
    this.pages.delete(page);
    this.pages.set(page, rows);
  }

  private drop(page: number) {
    for (const [index, row] of (this.pages.get(page) ?? []).entries()) {
      if (row && this.places.get(row.key) === page * PAGE + index) this.places.delete(row.key);
    }
    this.pages.delete(page);
  }
}

function keyOfChange(change: Change): string {
  return change.kind === "updated" ? change.row.key : change.key;
}
