import { expect, it } from "vitest";
import { imageChanges } from "./images";

const digest = "0123456789abcdef".repeat(4);

it("tells which images a deployment changed", () => {
  const before = ["registry:5000/shop/web:1.0", "redis:7", `cache@sha256:${digest}`, "old:1"];
  const after = ["registry:5000/shop/web:1.1", "redis:7", "cache:2", "new"];
  expect(imageChanges(before, after)).toEqual([
    { name: "cache", from: "0123456", to: "2" },
    { name: "old", from: "1", to: undefined },
    { name: "web", from: "1.0", to: "1.1" },
    { name: "new", from: undefined, to: "latest" },
  ]);
  expect(imageChanges(before, [...before].reverse())).toEqual([]);
});

it("puts several versions of one image together", () => {
  expect(imageChanges(["web:1"], ["web:2", "web:1"])).toEqual([{ name: "web", from: "1", to: "1, 2" }]);
});
