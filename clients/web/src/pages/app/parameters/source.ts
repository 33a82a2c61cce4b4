import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SetApplicationSourceRequestSchema } from "@contract/causeway/proxy/v1/application_action_service_pb";
import type { Json } from "../diff/yaml";

type JsonObject = { [key: string]: Json };

export interface Parameter {
  name: string;
  value: string;
  forceString: boolean;
}

/** What of a source can be changed, as the form holds it. */
export interface SourceForm {
  targetRevision: string;
  helm: Parameter[];
  /** One file a line. */
  valueFiles: string;
  /** One image a line, as [OLD=]IMAGE[:TAG][@DIGEST]. */
  images: string;
  recurse: boolean;
  include: string;
  exclude: string;
}

/** How Argo CD renders a source. */
export type Tool = "helm" | "kustomize" | "directory" | "other";

/** One source of the live Application. */
export interface Source {
  /** From 1; 0 if it is the only one. */
  position: number;
  manifest: JsonObject;
  tool: Tool;
  form: SourceForm;
}

/** Reads the sources of a live Application. */
export function sourcesOf(application: JsonObject): Source[] {
  const spec = objectOf(application["spec"]);
  const status = objectOf(application["status"]);
  const list = listOf(spec["sources"]).map(objectOf);
  const types = listOf(status["sourceTypes"]).map(textOf);
  if (list.length === 0) return [sourceOf(objectOf(spec["source"]), 0, textOf(status["sourceType"]))];
  return list.map((source, index) => sourceOf(source, index + 1, types[index] ?? ""));
}

function sourceOf(manifest: JsonObject, position: number, type: string): Source {
  return { position, manifest, tool: toolOf(manifest, type), form: formOf(manifest) };
}

function toolOf(source: JsonObject, type: string): Tool {
  if (source["chart"] !== undefined || source["helm"] !== undefined || type === "Helm") return "helm";
  if (source["kustomize"] !== undefined || type === "Kustomize") return "kustomize";
  return source["directory"] !== undefined || type === "Directory" || type === "" ? "directory" : "other";
}

/** Reads the form of a source. */
export function formOf(source: JsonObject): SourceForm {
  const helm = objectOf(source["helm"]);
  const directory = objectOf(source["directory"]);
  return {
    targetRevision: textOf(source["targetRevision"]),
    helm: listOf(helm["parameters"]).map(objectOf).map((each) => ({ name: textOf(each["name"]), value: textOf(each["value"]), forceString: each["forceString"] === true })),
    valueFiles: listOf(helm["valueFiles"]).map(textOf).join("\n"),
    images: listOf(objectOf(source["kustomize"])["images"]).map(textOf).join("\n"),
    recurse: directory["recurse"] === true,
    include: textOf(directory["include"]),
    exclude: textOf(directory["exclude"]),
  };
}

/** Returns the fields of a request that lead from one form to another. */
export function changesOf(before: SourceForm, after: SourceForm): MessageInitShape<typeof SetApplicationSourceRequestSchema> {
  const names = new Set(after.helm.map(({ name }) => name.trim()));
  const old = new Map(before.helm.map((each) => [each.name, each]));
  const set = after.helm.filter((each) => each.name.trim() !== "" && (old.get(each.name)?.value !== each.value || old.get(each.name)?.forceString !== each.forceString));
  const imagesBefore = linesOf(before.images);
  const imagesAfter = linesOf(after.images);
  const keptImages = new Set(imagesAfter.map(imageName));
  return {
    ...(after.targetRevision !== before.targetRevision ? { targetRevision: after.targetRevision.trim() } : {}),
    ...(set.length > 0 ? { helmParameters: set.map((each) => ({ ...each, name: each.name.trim() })) } : {}),
    ...list("removedHelmParameters", before.helm.map(({ name }) => name).filter((name) => !names.has(name))),
    ...(after.valueFiles !== before.valueFiles ? { helmValueFiles: linesOf(after.valueFiles) } : {}),
    ...list("kustomizeImages", imagesAfter.filter((image) => !imagesBefore.includes(image))),
    ...list("removedKustomizeImages", imagesBefore.map(imageName).filter((name) => !keptImages.has(name))),
    ...(after.recurse !== before.recurse ? { directoryRecurse: after.recurse } : {}),
    ...(after.include !== before.include ? { directoryInclude: after.include } : {}),
    ...(after.exclude !== before.exclude ? { directoryExclude: after.exclude } : {}),
  };
}

function list<K extends string>(name: K, values: string[]): { [P in K]?: string[] } {
  return values.length > 0 ? ({ [name]: values } as { [P in K]?: string[] }) : {};
}

/** The name by which Kustomize knows an image: what it replaces, or its repository. */
export function imageName(image: string): string {
  const [old, replaced] = image.split("=");
  if (replaced !== undefined) return old ?? image;
  const path = image.split("@")[0] ?? image;
  const slash = path.lastIndexOf("/");
  const colon = path.indexOf(":", slash + 1);
  return colon < 0 ? path : path.slice(0, colon);
}

function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
