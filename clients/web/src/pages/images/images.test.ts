import { create } from "@bufbuild/protobuf";
import { ImageInUseSchema } from "@contract/causeway/inventory/v1/resource_service_pb";
import { expect, it } from "vitest";
import { compareTags, groupImages, isOutdated } from "./images";

const image = (repository: string, tag: string, ...names: string[]) =>
  create(ImageInUseSchema, { repository, tag, applications: names.map((name) => ({ runtime: "eu", cluster: "c", namespace: "argocd", name })) });

it("joins an image that continues on the next page", () => {
  const [repository] = groupImages([image("web", "1.0.0", "a", "b"), image("web", "1.0.0", "c")]);
  expect(repository?.versions).toHaveLength(1);
  expect(repository?.userCount).toBe(3);
});

it("orders versions by number and pre-releases before their release", () => {
  const tags = ["1.9.0", "1.10.0", "v1.10.0-rc.2", "1.10.0-rc.10", "latest"];
  expect(tags.sort(compareTags)).toEqual(["latest", "1.9.0", "v1.10.0-rc.2", "1.10.0-rc.10", "1.10.0"]);
});

it("marks versions behind the newest, and none where tags have no order", () => {
  const [web, tool] = groupImages([image("web", "1.9.0", "a"), image("web", "1.10.0", "b"), image("web", "latest", "c"), image("tool", "blue", "a"), image("tool", "green", "b")]);
  expect(web?.versions.map((version) => [version.tag, isOutdated(version, web)])).toEqual([["1.10.0", false], ["1.9.0", true], ["latest", false]]);
  expect(tool?.versions.some((version) => isOutdated(version, tool))).toBe(false);
});
