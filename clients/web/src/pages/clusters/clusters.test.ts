import { create } from "@bufbuild/protobuf";
import { ReporterGroupSchema } from "@contract/causeway/inventory/v1/reporter_service_pb";
import { PartStatusSchema } from "@contract/causeway/platform/v1/part_service_pb";
import { expect, it } from "vitest";
import { buildClusters, isAbout } from "./clusters";

const group = (cluster: string, kind: string, reporters: number) =>
  create(ReporterGroupSchema, { runtime: "east", cluster, kind, objects: 5n, reporters: Array.from({ length: reporters }, () => ({ instance: "a" })) });

it("tells what is silent and what cannot be read, in the words of the command line", () => {
  const parts = [create(PartStatusSchema, { runtime: "east", notices: ["cannot list pods of cluster b: forbidden", "cannot list pods of cluster b-2"] })];
  const groups = [group("a", "pods", 1), group("b", "pods", 1), group("c", "pods", 0), group("d", "pods", 1), group("d", "jobs", 0)];
  const clusters = buildClusters(groups, parts);
  expect(clusters.map(({ name, state }) => [name, state])).toEqual([["a", "Healthy"], ["b", "Degraded"], ["c", "Lost"], ["d", "Degraded"]]);
  expect(clusters[1]?.notices).toEqual(["cannot list pods of cluster b: forbidden"]);
  expect(clusters[3]?.silentKinds).toEqual(["jobs"]);
  expect(clusters[3]?.objects).toBe(10n);
});

it("does not take a notice for a cluster whose name only starts alike", () => {
  expect(isAbout("the managed cluster prod-2 is not watched", "prod")).toBe(false);
  expect(isAbout("the managed cluster prod is not watched", "prod")).toBe(true);
  expect(isAbout("cluster prod.eu and cluster prod", "prod")).toBe(true);
});
