import { create } from "@bufbuild/protobuf";
import { HealthStatus, ResourceSchema, SyncStatus, type Resource } from "@contract/causeway/inventory/v1/application_pb";
import { describe, expect, test } from "vitest";
import { BOX_HEIGHT, BOX_WIDTH, layoutTree } from "./layout";
import { parseResourceKey, resourceKey, worstResource } from "./resource";
import { buildTree, collapseSets, filterTree, ROOT, walk } from "./tree";

function resource(uid: string, parents: string[] = [], more: Partial<Resource> = {}): Resource {
  const base = { kind: "Pod", namespace: "shop", name: uid, uid, parentUids: parents, health: { status: HealthStatus.HEALTHY } };
  return create(ResourceSchema, { ...base, ...(more as object) });
}

/** Builds a tree whose shape is random but the same in each run. */
function randomResources(count: number): Resource[] {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  return Array.from({ length: count }, (_, index) => resource(`r${index}`, index > 20 ? [`r${random(index)}`] : [], { kind: `K${random(5)}` }));
}

describe("layoutTree", () => {
  const { placed, width, height } = layoutTree(buildTree(randomResources(2_000)));

  test("places each resource and the application once", () => {
    expect(placed).toHaveLength(2_001);
    expect(new Set(placed.map(({ node }) => node.id)).size).toBe(2_001);
  });

  test("lets no two boxes overlap", () => {
    const columns = new Map<number, typeof placed>();
    for (const each of placed) columns.set(each.x, [...(columns.get(each.x) ?? []), each]);
    for (const column of columns.values()) {
      const sorted = column.map(({ y }) => y).sort((a, b) => a - b);
      sorted.slice(1).forEach((y, index) => expect(y - sorted[index]!).toBeGreaterThanOrEqual(BOX_HEIGHT));
    }
    const xs = [...columns.keys()].sort((a, b) => a - b);
    xs.slice(1).forEach((x, index) => expect(x - xs[index]!).toBeGreaterThan(BOX_WIDTH));
  });

  test("places parents left of their children and within their height", () => {
    const byId = new Map(placed.map((each) => [each.node.id, each]));
    for (const { node, x, y } of placed) {
      const children = node.children.map(({ id }) => byId.get(id)!);
      for (const child of children) expect(child.x).toBeGreaterThanOrEqual(x + BOX_WIDTH);
      if (children.length === 0) continue;
      expect(y).toBeCloseTo((children[0]!.y + children.at(-1)!.y) / 2, 3);
    }
  });

  test("reports a size that holds every box", () => {
    for (const { x, y } of placed) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(x + BOX_WIDTH).toBeLessThanOrEqual(width);
      expect(y + BOX_HEIGHT).toBeLessThanOrEqual(height);
    }
  });
});

describe("buildTree", () => {
  test("hangs a cycle of owners below the application", () => {
    const tree = buildTree([resource("a", ["b"]), resource("b", ["a"]), resource("c", ["c"])]);
    expect([...walk(tree)].map(({ id }) => id).sort()).toEqual([ROOT, "a", "b", "c"].sort());
  });

  test("puts what is broken, or has something broken below, first", () => {
    const tree = buildTree([resource("a"), resource("b"), resource("c", ["b"], { health: { status: HealthStatus.DEGRADED } as Resource["health"] & object })]);
    expect(tree.children.map(({ id }) => id)).toEqual(["b", "a"]);
  });

  test("keeps further owners as thin edges", () => {
    const tree = buildTree([resource("a"), resource("b"), resource("c", ["a", "b"])]);
    const child = [...walk(tree)].find(({ id }) => id === "c");
    expect(child?.parent?.id).toBe("a");
    expect(child?.otherOwners).toEqual(["b"]);
  });
});

describe("collapseSets", () => {
  const set = Array.from({ length: 12 }, (_, index) => resource(`p${index}`, ["rs"]));
  const owner = resource("rs", [], { kind: "ReplicaSet" });

  test("collapses more than eight equal, healthy siblings into one box", () => {
    const tree = collapseSets(buildTree([owner, ...set]), new Set());
    expect(tree.children[0]?.children.map(({ set }) => set?.length)).toEqual([12]);
  });

  test("leaves eight as they are", () => {
    const tree = collapseSets(buildTree([owner, ...set.slice(0, 8)]), new Set());
    expect(tree.children[0]?.children).toHaveLength(8);
  });

  test("never hides a broken, progressing or differing sibling", () => {
    const broken = [
      resource("x", ["rs"], { health: { status: HealthStatus.DEGRADED } as Resource["health"] & object }),
      resource("y", ["rs"], { health: { status: HealthStatus.PROGRESSING } as Resource["health"] & object }),
      resource("z", ["rs"], { sync: SyncStatus.OUT_OF_SYNC }),
    ];
    const tree = collapseSets(buildTree([owner, ...set, ...broken]), new Set());
    const shown = tree.children[0]?.children.map(({ id }) => id) ?? [];
    expect(shown).toEqual(expect.arrayContaining(["x", "y", "z"]));
    expect(shown).toHaveLength(4);
  });

  test("never hides a sibling with something broken below it", () => {
    const owners = Array.from({ length: 10 }, (_, index) => resource(`rs${index}`, [], { kind: "ReplicaSet" }));
    const pod = resource("pod", ["rs3"], { health: { status: HealthStatus.DEGRADED } as Resource["health"] & object });
    const tree = collapseSets(buildTree([...owners, pod]), new Set());
    expect([...walk(tree)].map(({ id }) => id)).toContain("pod");
  });

  test("opens a set by its id", () => {
    const closed = collapseSets(buildTree([owner, ...set]), new Set());
    const id = closed.children[0]!.children[0]!.id;
    expect(collapseSets(buildTree([owner, ...set]), new Set([id])).children[0]?.children).toHaveLength(12);
  });
});

test("filterTree keeps the ancestors of what matches", () => {
  const tree = filterTree(buildTree([resource("a"), resource("b", ["a"]), resource("c")]), ({ name }) => name === "b");
  expect([...walk(tree!)].map(({ id }) => id)).toEqual([ROOT, "a", "b"]);
});

test("a resource key reads back as it was written", () => {
  const names = [
    { group: "apps", kind: "Deployment", namespace: "shop", name: "api" },
    { group: "", kind: "Namespace", namespace: "", name: "shop" },
    { group: "rbac.authorization.k8s.io", kind: "ClusterRole", namespace: "", name: "system:a/b" },
  ];
  for (const name of names) expect(parseResourceKey(resourceKey(name))).toEqual(name);
  expect(parseResourceKey("nonsense")).toBeUndefined();
});

test("worstResource prefers the degraded one that says why", () => {
  const quiet = resource("a", [], { health: { status: HealthStatus.DEGRADED, message: "" } as Resource["health"] & object });
  const telling = resource("b", [], { health: { status: HealthStatus.DEGRADED, message: "no image" } as Resource["health"] & object });
  const missing = resource("c", [], { health: { status: HealthStatus.MISSING, message: "gone" } as Resource["health"] & object });
  expect(worstResource([missing, quiet, telling])?.name).toBe("b");
  expect(worstResource([resource("d")])).toBeUndefined();
});
