import { expect, test } from "vitest";
import { changesOf, formOf, imageName, sourcesOf } from "./source";

const source = {
  targetRevision: "main",
  helm: { parameters: [{ name: "a", value: "1" }, { name: "b", value: "2" }], valueFiles: ["values.yaml"] },
  kustomize: { images: ["nginx:1.0", "registry:5000/app=mirror/app:2"] },
};

test("an unchanged form changes nothing", () => {
  expect(changesOf(formOf(source), formOf(source))).toEqual({});
});

test("only what differs is in the request", () => {
  const before = formOf(source);
  const after = { ...before, targetRevision: "v2", helm: [{ name: "a", value: "9", forceString: false }, { name: "c", value: "3", forceString: true }], images: "nginx:1.1" };
  expect(changesOf(before, after)).toEqual({
    targetRevision: "v2",
    helmParameters: [{ name: "a", value: "9", forceString: false }, { name: "c", value: "3", forceString: true }],
    removedHelmParameters: ["b"],
    kustomizeImages: ["nginx:1.1"],
    removedKustomizeImages: ["registry:5000/app"],
  });
});

test("imageName ends before tag and digest, and keeps the port of a registry", () => {
  expect(imageName("registry:5000/a/b:1.2@sha256:00")).toBe("registry:5000/a/b");
  expect(imageName("nginx")).toBe("nginx");
  expect(imageName("old=new:1")).toBe("old");
});

test("several sources are numbered from 1, a single one is 0", () => {
  expect(sourcesOf({ spec: { source } }).map(({ position, tool }) => [position, tool])).toEqual([[0, "helm"]]);
  expect(sourcesOf({ spec: { sources: [{ chart: "x" }, { path: "y" }] }, status: { sourceTypes: ["Helm", "Kustomize"] } }).map(({ position, tool }) => [position, tool])).toEqual([[1, "helm"], [2, "kustomize"]]);
});
