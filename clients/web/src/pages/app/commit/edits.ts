import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FileEditSchema } from "@contract/causeway/git/v1/commit_service_pb";
import { imageName, type Source, type SourceForm } from "../parameters/source";

/** What an edit changes; each kind has its own flag in the command line. */
export const editKinds = [
  { key: "value", text: "Set a value" },
  { key: "image", text: "Set an image" },
  { key: "kustomize", text: "Set a Kustomize image" },
  { key: "chart", text: "Set a chart version" },
  { key: "remove", text: "Remove a value" },
] as const;
export type EditKind = (typeof editKinds)[number]["key"];

/** One edit of a file, as it is typed. */
export interface DraftEdit {
  kind: EditKind;
  /** The file, with #KIND/NAME or #NUMBER for one document of several. */
  file: string;
  /** The path of the value, or the name of the image or chart. */
  at: string;
  value: string;
}

/** The first edit for a source: its usual file, and nothing in it yet. */
export function firstEdit(source: Source): DraftEdit {
  const kind = source.tool === "kustomize" ? "kustomize" : "value";
  return { kind, file: fileOf(source, kind), at: "", value: "" };
}

/** The file of a source that an edit usually changes. */
export function fileOf({ manifest, form, tool }: Source, kind: EditKind): string {
  const folder = String(manifest["path"] ?? "").replace(/^\.?\/?|\/$/g, "");
  const within = (name: string) => (folder === "" ? name : `${folder}/${name}`);
  if (kind === "kustomize") return within("kustomization.yaml");
  if (kind === "chart") return within("Chart.yaml");
  const valueFile = form.valueFiles.split("\n").map((line) => line.trim()).find((line) => line !== "" && !line.startsWith("$") && !/^https?:/.test(line));
  if (tool === "helm") return valueFile?.startsWith("/") ? valueFile.slice(1) : normal(within(valueFile ?? "values.yaml"));
  return folder === "" ? "" : `${folder}/`;
}

/** Resolves the .. of a file of values. */
function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

/** The edits of files that make the changes of the form, and the fields that no file of this source has. */
export function editsOfForm(source: Source, after: SourceForm): { edits: DraftEdit[]; left: string[] } {
  const before = source.form;
  const old = new Map(before.helm.map((each) => [each.name, each.value]));
  const parameters = after.helm.filter(({ name, value }) => name.trim() !== "" && old.get(name) !== value);
  const imagesBefore = new Set(lines(before.images));
  const images = lines(after.images).filter((image) => !imagesBefore.has(image));
  const edits = [
    ...parameters.map(({ name, value, forceString }): DraftEdit => ({ kind: "value", file: fileOf(source, "value"), at: name.trim(), value: forceString ? JSON.stringify(value) : value })),
    ...images.map((image): DraftEdit => ({ kind: "kustomize", file: fileOf(source, "kustomize"), at: imageName(image), value: image.slice(image.indexOf("=") + 1) })),
  ];
  const names = { targetRevision: "target revision", valueFiles: "value files", recurse: "recursion", include: "include", exclude: "exclude" } as const;
  const left = (Object.keys(names) as (keyof typeof names)[]).filter((field) => before[field] !== after[field]).map((field) => names[field]);
  return { edits, left };
}

/** Reports if an edit has all that it needs. */
export function isWhole({ kind, file, at, value }: DraftEdit): boolean {
  const isFile = file.trim() !== "" && !file.trim().endsWith("/");
  return isFile && at.trim() !== "" && (kind === "remove" || value.trim() !== "");
}

/** Writes an edit as the contract does. */
export function toFileEdit(draft: DraftEdit): MessageInitShape<typeof FileEditSchema> {
  const [path = "", document = ""] = draft.file.trim().split("#");
  return { path, document, edit: changeOf(draft) };
}

function changeOf({ kind, at: place, value: typed }: DraftEdit): NonNullable<MessageInitShape<typeof FileEditSchema>["edit"]> {
  const at = place.trim();
  const value = typed.trim();
  switch (kind) {
    case "value":
      return { case: "setValue", value: { at, value: toJsonText(value) } };
    case "image":
      return { case: "setImage", value: { at, image: value } };
    case "kustomize":
      return { case: "setKustomizeImage", value: { name: at, ...kustomizeParts(at, value) } };
    case "chart":
      return { case: "setChartDependency", value: { name: at, version: value } };
    case "remove":
      return { case: "removeValue", value: { at } };
  }
}

/** What is JSON stays it, so that 3 is a number and "3" a text; all else is a text. */
export function toJsonText(value: string): string {
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
}

/** Reads a tag, a digest, or an image whose name may be another one. */
export function kustomizeParts(name: string, value: string): { newName?: string; newTag?: string; digest?: string } {
  const [image = "", digest] = /^sha256:[0-9a-f]+$/.test(value) ? ["", value] : value.split("@");
  if (digest === undefined && !/[/:]/.test(image)) return { newTag: image };
  const repository = imageName(image);
  const tag = image.slice(repository.length + 1);
  return {
    ...(repository !== "" && repository !== name ? { newName: repository } : {}),
    ...(tag === "" ? {} : { newTag: tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** The message that is offered until another one is typed. */
export function suggestedMessage(application: string, drafts: readonly DraftEdit[]): string {
  const [only] = drafts;
  if (drafts.length !== 1 || !only) return `Change ${drafts.length} values of ${application}`;
  const at = only.at.trim() || "a value";
  return only.kind === "remove" ? `Remove ${at} of ${application}` : `Set ${at} of ${application} to ${only.value.trim().split("\n")[0]?.slice(0, 60)}`;
}

/** Returns the branch that a source follows; empty where it follows a commit. */
export function branchOf(source: Source): string {
  const revision = source.form.targetRevision.trim();
  if (/^[0-9a-f]{40}$/.test(revision)) return "";
  return revision === "" || revision === "HEAD" ? "main" : revision.replace(/^refs\/heads\//, "");
}

const flags: Record<EditKind, string> = { value: "--set-json", image: "--image", kustomize: "--kustomize-image", chart: "--chart-dependency", remove: "--unset" };

/** How edits come to the branch. */
export type Way = "commit" | "pull-request";

export interface CommitWords {
  way?: Way;
  runtime: string;
  integration: string;
  repository: string;
  branch: string;
  message: string;
}

/** Writes the same commit as a command. */
export function commandOf({ runtime, integration, repository, branch, message, way = "commit" }: CommitWords, drafts: readonly DraftEdit[]): string {
  const edits = drafts.flatMap((draft) => {
    const place = `${draft.file.trim()}:${draft.at.trim()}`;
    if (draft.kind === "remove") return [flags.remove, quote(place)];
    const value = draft.kind === "value" ? toJsonText(draft.value.trim()) : draft.value.trim();
    return [flags[draft.kind], quote(`${place}=${value}`)];
  });
  const verb = way === "commit" ? "causeway git commit" : "causeway git pull-request create";
  const title = way === "commit" ? "-m" : "--title";
  return [verb, quote(repository), "--runtime", quote(runtime), "-i", integration || "INTEGRATION", "-b", quote(branch || "BRANCH"), title, quote(message), ...edits].join(" ");
}

function quote(word: string): string {
  return /^[\w./:@=#-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function lines(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}
