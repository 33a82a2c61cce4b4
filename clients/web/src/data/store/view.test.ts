import { describe, expect, it } from "vitest";
import { HealthStatus, SyncStatus } from "@contract/causeway/inventory/v1/application_pb";
import { ApplicationSort } from "@contract/causeway/inventory/v1/application_service_pb";
import { compareRows, type Row } from "./row";
import { type Change, PAGE, View } from "./view";

/** A small generator with a fixed start, so that a failure is found again. */
export function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function rowOf(name: string, change: Partial<Row> = {}): Row {
  return {
    key: `local/in-cluster/argocd/${name}`, runtime: "local", cluster: "in-cluster", namespace: "argocd", name, project: "default", labels: {},
    health: HealthStatus.HEALTHY, healthSince: undefined, healthMessage: "", sync: SyncStatus.SYNCED, revision: "", targetRevision: "",
    automated: false, parent: "", operation: undefined, createdAt: 0, receivedAt: 0, isDeleting: false, uid: name, version: 1,
    ...change,
  };
}

/** The list as the server has it: an array that is always in order. */
class Truth {
  rows: Row[];
  private version = 1;

  constructor(
    count: number,
    private readonly view: View,
    private readonly pick: (below: number) => number,
  ) {
    this.rows = Array.from({ length: count }, () => this.newRow());
    this.sort();
  }

  change(): Change {
    const at = this.pick(this.rows.length + 1);
    const held = this.rows[at];
    const fate = this.pick(10);
    if (!held || fate === 0) {
      const row = this.newRow();
      this.rows.push(row);
      this.sort();
      return { kind: "updated", row };
    }
    if (fate === 1) {
      this.rows.splice(at, 1);
      return { kind: "deleted", key: held.key };
    }
    const isQuiet = fate < 6;
    const health = isQuiet ? held.health : this.anyHealth();
    const row = { ...held, health, revision: `r${this.version}`, receivedAt: isQuiet ? held.receivedAt : this.version, version: ++this.version };
    this.rows[at] = row;
    this.sort();
    return { kind: "updated", row };
  }

  page(number: number): Row[] {
    return this.rows.slice(number * PAGE, (number + 1) * PAGE);
  }

  private newRow(): Row {
    return rowOf(`app-${this.pick(1_000)}-${this.version}`, { health: this.anyHealth(), receivedAt: ++this.version, version: this.version });
  }

  private anyHealth(): HealthStatus {
    return this.pick(4) === 0 ? this.pick(7) : HealthStatus.HEALTHY;
  }

  private sort() {
    this.rows.sort((a, b) => compareRows(a, b, this.view.spec.sort, this.view.spec.descending));
  }
}

const orders = [ApplicationSort.HEALTH, ApplicationSort.NAME, ApplicationSort.CHANGED, ApplicationSort.RUNTIME];

/** Returns what is held and wrong: an old row, or one in another place than the server's though the list is not stale. */
function wrong(view: View, truth: Truth): { index: number; held: Row; is: Row | undefined }[] {
  const byKey = new Map(truth.rows.map((row) => [row.key, row]));
  const found = [];
  for (let index = 0; index < view.total + PAGE; index++) {
    const held = view.row(index);
    if (!held) continue;
    const is = view.isStale ? byKey.get(held.key) : truth.rows[index];
    if (held.isGone ? is : held !== is) found.push({ index, held, is });
  }
  return found;
}

describe("a list held in part", () => {
  it.each(orders)("shows no old row, and is in the server's order unless it is stale (order %i)", (sort) => {
    const pick = random(sort + 1);
    for (let round = 0; round < 25; round++) {
      const view = new View("v", { filter: {}, sort, descending: pick(2) === 1 });
      const truth = new Truth([0, 3, 100, 250, 700][pick(5)] ?? 3, view, pick);
      view.put(0, truth.page(0), truth.rows.length);
      for (let step = 0; step < 60; step++) {
        const changes = Array.from({ length: 1 + pick(3) }, () => truth.change());
        view.applyAll(changes, truth.rows.length);
        expect(view.total).toBe(truth.rows.length);
        expect(wrong(view, truth).slice(0, 1)).toEqual([]);
        if (pick(5) === 0) {
          const pages = view.missing(0, pick(truth.rows.length + 1));
          if (!view.isStale) for (const page of pages) view.put(page, truth.page(page), truth.rows.length);
        }
        if (view.isStale && pick(4) === 0) {
          view.replace(new Map([0, 1].map((page) => [page, truth.page(page)])), truth.rows.length);
          expect(view.movedCount).toBe(0);
        }
      }
      view.replace(new Map([[0, truth.page(0)]]), truth.rows.length);
      expect(wrong(view, truth).slice(0, 1)).toEqual([]);
      expect(view.row(Math.min(PAGE, truth.rows.length) - 1)).toBe(truth.rows[Math.min(PAGE, truth.rows.length) - 1]);
    }
  });

  it("changes a row in place and keeps its order where the sort value stays", () => {
    const view = new View("v", { filter: {}, sort: ApplicationSort.HEALTH, descending: false });
    view.put(0, [rowOf("a"), rowOf("b")], 2);
    view.applyAll([{ kind: "updated", row: rowOf("b", { revision: "new", version: 2 }) }], 2);
    expect([view.row(1)?.revision, view.isStale]).toEqual(["new", false]);
    view.applyAll([{ kind: "updated", row: rowOf("b", { health: HealthStatus.DEGRADED, version: 3 }) }], 2);
    expect([view.row(1)?.health, view.isStale, view.movedCount]).toEqual([HealthStatus.DEGRADED, true, 1]);
  });

  it("ignores a change that is older than what was read", () => {
    const view = new View("v", { filter: {}, sort: ApplicationSort.NAME, descending: false });
    view.put(0, [rowOf("a", { version: 9, revision: "newer" })], 1);
    view.applyAll([{ kind: "updated", row: rowOf("a", { version: 8, revision: "older" }) }], 1);
    expect(view.row(0)?.revision).toBe("newer");
  });

  it("applies changes that came while a page was being read", () => {
    const view = new View("v", { filter: {}, sort: ApplicationSort.NAME, descending: false });
    view.beginRead();
    view.applyAll([{ kind: "updated", row: rowOf("a", { version: 2, revision: "newer" }) }], 1);
    view.put(0, [rowOf("a")], 1);
    view.endRead();
    expect(view.row(0)?.revision).toBe("newer");
  });

  it("holds 40 pages at most and drops those used longest ago", () => {
    const view = new View("v", { filter: {}, sort: ApplicationSort.NAME, descending: false });
    const names = Array.from({ length: 6_000 }, (_, index) => String(index).padStart(5, "0"));
    for (let page = 0; page < 60; page++) view.put(page, names.slice(page * PAGE, (page + 1) * PAGE).map((name) => rowOf(name)), 6_000);
    expect(names.filter((_, index) => view.row(index))).toEqual(names.slice(2_000));
  });
});
