import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { WorkflowNodeSchema } from "@contract/causeway/inventory/v1/resource_pb";
import { expect, it } from "vitest";
import { toRows } from "./nodes";

const node = (id: string, children: string[] = [], more: MessageInitShape<typeof WorkflowNodeSchema> = {}) =>
  create(WorkflowNodeSchema, { id, name: id, type: "DAG", children, ...more });
const at = timestampFromMs;

it("lists parts below their whole and steps in their order", () => {
  const rows = toRows([node("c", [], { type: "Pod" }), node("root", ["a"]), node("a", ["b"]), node("b", ["c"], { type: "Pod" })], 0);
  expect(rows.map(({ node: { id }, depth }) => [id, depth])).toEqual([["root", 0], ["a", 1], ["b", 2], ["c", 2]]);
});

it("orders siblings and their successors by start", () => {
  const pod = (id: string, start: number, children: string[] = []) => node(id, children, { type: "Pod", startedAt: at(start) });
  const rows = toRows([node("root", ["build", "lint"]), pod("build", 1, ["test"]), pod("test", 3), pod("lint", 2)], 9);
  expect(rows.map(({ node: { id } }) => id)).toEqual(["root", "build", "lint", "test"]);
});

it("lists each node once, also with two parents or in a cycle", () => {
  const rows = toRows([node("root", ["a", "b"]), node("a", ["end"]), node("b", ["end"]), node("end"), node("x", ["y"]), node("y", ["x"])], 0);
  expect(rows.map(({ node: { id } }) => id).sort()).toEqual(["a", "b", "end", "root", "x", "y"]);
});

it("places nodes in the workflow's time, running ones until now", () => {
  const first = node("first", [], { startedAt: at(1_000), finishedAt: at(2_000) });
  const running = node("running", [], { startedAt: at(3_000) });
  expect(toRows([first, running, node("pending")], 5_000).map(({ span }) => span)).toEqual([{ from: 0, to: 0.25 }, { from: 0.5, to: 1 }, undefined]);
});
