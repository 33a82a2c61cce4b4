import { describe, expect, test } from "vitest";
import { diffLines, type Run } from "./lines";
import { countChanges, toRows } from "./rows";
import { countRedacted, onlySetFields, parseManifest, toYaml, withoutClusterFields } from "./yaml";

/** Applies runs to the first text; a right diff gives the second. */
function apply(a: string[], b: string[], runs: Run[]): { before: string[]; after: string[] } {
  const before: string[] = [];
  const after: string[] = [];
  for (const { kind, from, count } of runs) {
    const source = kind === "added" ? b : a;
    const lines = source.slice(from, from + count);
    if (kind !== "added") before.push(...lines);
    if (kind !== "removed") after.push(...lines);
  }
  return { before, after };
}

describe("diffLines", () => {
  test.each([
    ["", ""],
    ["a", ""],
    ["", "a"],
    ["abcabba", "cbabac"],
    ["abc", "xyz"],
    ["aaaa", "aa"],
    ["abcdefgh", "abXdeYgh"],
  ])("turns %j into %j", (left, right) => {
    const [a, b] = [[...left], [...right]];
    expect(apply(a, b, diffLines(a, b))).toEqual({ before: a, after: b });
  });

  test("finds the shortest edit of random texts, as long as the table of distances says", () => {
    let seed = 3;
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
    for (let round = 0; round < 60; round += 1) {
      const a = Array.from({ length: random(30) }, () => `${random(4)}`);
      const b = Array.from({ length: random(30) }, () => `${random(4)}`);
      const runs = diffLines(a, b);
      const { removed, added } = countChanges(runs);
      expect(apply(a, b, runs)).toEqual({ before: a, after: b });
      expect(removed + added).toBe(distance(a, b));
    }
  });

  test("tells one replaced block when its time is over", () => {
    const a = Array.from({ length: 400 }, (_, index) => `a${index}`);
    const b = Array.from({ length: 400 }, (_, index) => `b${index}`);
    const runs = diffLines(a, b, -1);
    expect(runs.map(({ kind }) => kind)).toEqual(["removed", "added"]);
    expect(apply(a, b, runs)).toEqual({ before: a, after: b });
  });
});

function distance(a: string[], b: string[]): number {
  const table = Array.from({ length: a.length + 1 }, (_, row) => Array.from({ length: b.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)));
  for (let row = 1; row <= a.length; row += 1) {
    for (let column = 1; column <= b.length; column += 1) {
      table[row]![column] = a[row - 1] === b[column - 1] ? table[row - 1]![column - 1]! : 1 + Math.min(table[row - 1]![column]!, table[row]![column - 1]!);
    }
  }
  return table[a.length]![b.length]!;
}

describe("toRows", () => {
  const a = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const b = a.map((line, index) => (index === 10 ? "changed" : line));
  const runs = diffLines(a, b);

  test("keeps three lines around a change and counts what it hides", () => {
    const rows = toRows(a, b, runs);
    expect(rows.map(({ kind }) => kind).join(" ")).toBe("gap equal equal equal removed added equal equal equal gap");
    expect(rows.filter((row) => row.kind === "gap").map(({ count }) => count)).toEqual([7, 6]);
  });

  test("opens one gap and keeps the other", () => {
    const gap = toRows(a, b, runs).find((row) => row.kind === "gap");
    const rows = toRows(a, b, runs, new Set([gap!.id]));
    expect(rows.filter((row) => row.kind === "gap")).toHaveLength(1);
    expect(rows[0]).toEqual({ kind: "equal", text: "line 0", a: 1, b: 1 });
  });

  test("numbers lines of both sides", () => {
    const rows = toRows(["a", "b"], ["b", "c"], diffLines(["a", "b"], ["b", "c"]));
    expect(rows).toEqual([
      { kind: "removed", text: "a", a: 1 },
      { kind: "equal", text: "b", a: 2, b: 1 },
      { kind: "added", text: "c", b: 2 },
    ]);
  });
});

describe("toYaml", () => {
  test("writes a manifest with its leading keys first", () => {
    const manifest = { spec: { replicas: 2, args: ["--a", "true"], empty: [], none: {} }, kind: "Deployment", metadata: { name: "api" }, apiVersion: "apps/v1" };
    expect(toYaml(manifest)).toBe(
      'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: api\nspec:\n  args:\n  - "--a"\n  - "true"\n  empty: []\n  none: {}\n  replicas: 2',
    );
  });

  test("puts objects in a list behind their dash and texts of several lines in a block", () => {
    expect(toYaml({ ports: [{ name: "http", port: 80 }], script: "a\n\nb\n" })).toBe("ports:\n- name: http\n  port: 80\nscript: |\n  a\n\n  b");
  });

  test("quotes what YAML would read as something else", () => {
    expect(toYaml({ a: "1", b: "no", c: "x: y", d: "", e: "-" })).toBe('a: "1"\nb: "no"\nc: "x: y"\nd: ""\ne: "-"');
  });
});

test("withoutClusterFields drops status and bookkeeping, and nothing else", () => {
  const manifest = { kind: "Pod", status: { phase: "Running" }, metadata: { name: "a", uid: "1", managedFields: [] } };
  expect(withoutClusterFields(manifest)).toEqual({ kind: "Pod", metadata: { name: "a" } });
});

test("onlySetFields leaves out defaults and keeps every change of what is set", () => {
  const live = { spec: { replicas: 3, strategy: {}, containers: [{ name: "a", image: "x:2", pullPolicy: "Always" }], args: ["1", "2"] }, status: {} };
  const wanted = { spec: { replicas: 2, containers: [{ name: "a", image: "x:1" }], args: ["1"] } };
  expect(onlySetFields(live, wanted)).toEqual({ spec: { replicas: 3, containers: [{ name: "a", image: "x:2" }], args: ["1", "2"] } });
});

test("parseManifest reads nothing from cut bytes", () => {
  expect(parseManifest(new TextEncoder().encode('{"kind":'))).toBeUndefined();
  expect(parseManifest(new Uint8Array())).toBeUndefined();
});

test("countRedacted counts placeholders", () => {
  expect(countRedacted('a: "(redacted 1f)"\nb: "(redacted 2e)"')).toBe(2);
});
