import { create } from "@bufbuild/protobuf";
import { HealthStatus, ResourceSchema } from "@contract/causeway/inventory/v1/application_pb";
import { expect, test } from "vitest";
import { layoutTree } from "../model/layout";
import { buildTree } from "../model/tree";
import { centre, fit, keepInPlace, reveal, zoomAt } from "./camera";

const view = { width: 800, height: 600 };
const resource = (name: string) => create(ResourceSchema, { kind: "ConfigMap", namespace: "shop", name, uid: name, health: { status: HealthStatus.HEALTHY } });
const layoutOf = (names: string[]) => layoutTree(buildTree(names.map(resource)));

test("fit shows the whole tree and no more than its natural size", () => {
  const small = layoutOf(["a"]);
  expect(fit(small, view).zoom).toBe(1);
  const large = layoutOf(Array.from({ length: 200 }, (_, index) => `n${index}`));
  const camera = fit(large, view);
  expect(camera.y + large.height * camera.zoom).toBeLessThanOrEqual(view.height);
});

test("zooming keeps the point under the pointer", () => {
  const before = { x: 10, y: 20, zoom: 1 };
  const after = zoomAt(before, 2, 300, 200);
  expect((300 - after.x) / after.zoom).toBeCloseTo((300 - before.x) / before.zoom);
  expect((200 - after.y) / after.zoom).toBeCloseTo((200 - before.y) / before.zoom);
});

test("reveal moves nothing that is in view, and brings the rest into it", () => {
  const layout = layoutOf(Array.from({ length: 50 }, (_, index) => `n${index}`));
  const camera = { x: 24, y: 24, zoom: 1 };
  expect(reveal(camera, layout.byId.get("n0")!, view)).toEqual(camera);
  const last = layout.byId.get("n49")!;
  const moved = reveal(camera, last, view);
  expect(moved.y + last.y).toBeLessThan(view.height);
});

test("a box that is read stays in its place when others come above it", () => {
  const before = layoutOf(["m", "z"]);
  const after = layoutOf(["a", "b", "c", "m", "z"]);
  const read = before.byId.get("m")!;
  const camera = centre(read, view, 1);
  const moved = keepInPlace(camera, before, after, view);
  const now = after.byId.get("m")!;
  expect(moved.y + now.y * moved.zoom).toBeCloseTo(camera.y + read.y * camera.zoom);
  expect(now.y).not.toBe(read.y);
});
