import { expect, it } from "vitest";
import { sourcesOf, type Source } from "../parameters/source";
import { branchOf, commandOf, editsOfForm, fileOf, firstEdit, isWhole, kustomizeParts, suggestedMessage, toFileEdit, toJsonText, type DraftEdit } from "./edits";
import { changesOf, parseUnified } from "./unified";

const sourceOf = (source: object): Source => sourcesOf({ spec: { source } as never })[0] as Source;
const helm = sourceOf({ path: "charts/web", targetRevision: "HEAD", helm: { valueFiles: ["../values-prod.yaml"], parameters: [{ name: "image.tag", value: "v1" }] } });
const kustomize = sourceOf({ path: "./overlays/prod/", targetRevision: "release", kustomize: { images: ["nginx:1.0"] } });
const directory = sourceOf({ path: "guestbook", targetRevision: "0123456789abcdef0123456789abcdef01234567" });

it("begins with the file that a source usually has", () => {
  expect(firstEdit(helm)).toMatchObject({ kind: "value", file: "charts/values-prod.yaml" });
  expect(firstEdit(kustomize)).toMatchObject({ kind: "kustomize", file: "overlays/prod/kustomization.yaml" });
  expect(firstEdit(directory)).toMatchObject({ kind: "value", file: "guestbook/" });
  expect(fileOf(sourceOf({ path: "c", helm: { valueFiles: ["$ref/x.yaml"] } }), "value")).toBe("c/values.yaml");
  expect(fileOf(sourceOf({ path: "." }), "value")).toBe("");
});

it("knows the branch that is followed", () => {
  expect([helm, kustomize, directory].map(branchOf)).toEqual(["main", "release", ""]);
});

it("turns changes of the form into edits, and names those that no file has", () => {
  const parameters = [{ name: "image.tag", value: "v2", forceString: false }, { name: "id", value: "7", forceString: true }];
  expect(editsOfForm(helm, { ...helm.form, helm: parameters, targetRevision: "v2" })).toEqual({
    edits: [
      { kind: "value", file: "charts/values-prod.yaml", at: "image.tag", value: "v2" },
      { kind: "value", file: "charts/values-prod.yaml", at: "id", value: '"7"' },
    ],
    left: ["target revision"],
  });
  const { edits } = editsOfForm(kustomize, { ...kustomize.form, images: "nginx:1.0\nweb=registry:5000/web:2" });
  expect(edits).toEqual([{ kind: "kustomize", file: "overlays/prod/kustomization.yaml", at: "web", value: "registry:5000/web:2" }]);
});

const edit = (change: Partial<DraftEdit>): DraftEdit => ({ kind: "value", file: "a.yaml", at: "x", value: "1", ...change });

it("writes edits as the contract does", () => {
  expect(toFileEdit(edit({ file: "a.yaml#Deployment/web", value: "v2" }))).toEqual({ path: "a.yaml", document: "Deployment/web", edit: { case: "setValue", value: { at: "x", value: '"v2"' } } });
  expect(toFileEdit(edit({ kind: "image", value: "web:2" })).edit).toEqual({ case: "setImage", value: { at: "x", image: "web:2" } });
  expect(toFileEdit(edit({ kind: "remove", value: "" })).edit).toEqual({ case: "removeValue", value: { at: "x" } });
  expect(["3", "true", "null", '"3"', "[1]", "v2", "1.2.3", ""].map(toJsonText)).toEqual(["3", "true", "null", '"3"', "[1]", '"v2"', '"1.2.3"', '""']);
});

it("reads a tag, a digest and an image", () => {
  const digest = `sha256:${"0".repeat(64)}`;
  expect(kustomizeParts("web", "v2")).toEqual({ newTag: "v2" });
  expect(kustomizeParts("web", digest)).toEqual({ digest });
  expect(kustomizeParts("web", "web:v2")).toEqual({ newTag: "v2" });
  expect(kustomizeParts("web", `registry:5000/web@${digest}`)).toEqual({ newName: "registry:5000/web", digest });
});

it("asks for a file, a place and a value", () => {
  expect(isWhole(edit({}))).toBe(true);
  expect([edit({ file: "guestbook/" }), edit({ at: " " }), edit({ value: "" })].map(isWhole)).toEqual([false, false, false]);
  expect(isWhole(edit({ kind: "remove", value: "" }))).toBe(true);
});

it("suggests a message, and writes the command", () => {
  expect(suggestedMessage("web", [edit({})])).toBe("Set x of web to 1");
  expect(suggestedMessage("web", [edit({}), edit({})])).toBe("Change 2 values of web");
  const words = { runtime: "local", integration: "demo", repository: "https://git/x", branch: "main", message: "It's three" };
  expect(commandOf(words, [edit({ value: "a b" }), edit({ kind: "remove" })])).toBe(
    `causeway git commit https://git/x --runtime local -i demo -b main -m 'It'\\''s three' --set-json 'a.yaml:x="a b"' --unset a.yaml:x`,
  );
});

it("reads a unified diff with its gaps and its lines' numbers", () => {
  const rows = parseUnified("--- a/x\n+++ b/x\n@@ -4,3 +4,3 @@\n a\n-b\n+c\n d\n@@ -20,1 +20,2 @@\n e\n+f\n");
  expect(rows).toEqual([
    { kind: "gap", id: "4", count: 3 },
    { kind: "equal", text: "a", a: 4, b: 4 },
    { kind: "removed", text: "b", a: 5 },
    { kind: "added", text: "c", b: 5 },
    { kind: "equal", text: "d", a: 6, b: 6 },
    { kind: "gap", id: "20", count: 13 },
    { kind: "equal", text: "e", a: 20, b: 20 },
    { kind: "added", text: "f", b: 21 },
  ]);
  expect(changesOf(rows ?? [])).toEqual({ added: 2, removed: 1 });
  expect(parseUnified("--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n")).toEqual([{ kind: "added", text: "a", b: 1 }]);
  expect(parseUnified("a binary file")).toBeUndefined();
});
