/** Anything that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Keys that lead a Kubernetes manifest; all others follow by name. */
const leading = ["apiVersion", "kind", "metadata", "name", "namespace", "spec", "data"];

/** Writes a value as YAML with keys in a fixed order, so that equal manifests are equal texts. */
export function toYaml(value: Json): string {
  return write(value, "").replace(/^\n/, "");
}

function write(value: Json, indent: string): string {
  if (Array.isArray(value)) return value.length === 0 ? " []" : value.map((item) => `\n${indent}-${writeItem(item, `${indent}  `)}`).join("");
  if (typeof value === "object" && value !== null) return writeObject(value, indent);
  return ` ${scalar(value, indent)}`;
}

function writeObject(value: { [key: string]: Json }, indent: string): string {
  const keys = Object.keys(value).sort(byKey);
  if (keys.length === 0) return " {}";
  return keys.map((key) => `\n${indent}${keyText(key)}:${write(value[key] ?? null, Array.isArray(value[key]) ? indent : `${indent}  `)}`).join("");
}

/** The first key of an object in a list stands behind its dash. */
function writeItem(item: Json, indent: string): string {
  const text = write(item, indent);
  return text.startsWith(`\n${indent}`) ? ` ${text.slice(indent.length + 1)}` : text;
}

function byKey(a: string, b: string): number {
  const rank = (key: string) => (leading.includes(key) ? leading.indexOf(key) : leading.length);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

const plainKey = /^[\w./-]+$/;
const plainText = /^[A-Za-z/(_][\w ./@:()+,=;$%*?!<>{}[\]"'^|~&-]*$/;
const reserved = /^(true|false|null|yes|no|on|off|y|n|~)$/i;

const keyText = (key: string) => (plainKey.test(key) && !/^[\d-]/.test(key) ? key : JSON.stringify(key));

function scalar(value: null | boolean | number | string, indent: string): string {
  if (typeof value !== "string") return String(value);
  if (value.includes("\n") && !/^\s|\n\n$/.test(value)) return block(value, indent);
  const isPlain = plainText.test(value) && !reserved.test(value) && !/: |:$| #|\s$/.test(value);
  return isPlain ? value : JSON.stringify(value);
}

function block(text: string, indent: string): string {
  const isEnded = text.endsWith("\n");
  const body = (isEnded ? text.slice(0, -1) : text).split("\n");
  return [`|${isEnded ? "" : "-"}`, ...body.map((line) => (line === "" ? "" : `${indent}${line}`))].join("\n");
}

/** Reads a manifest's JSON bytes; undefined where there are none or they are cut. */
export function parseManifest(content: Uint8Array | undefined): { [key: string]: Json } | undefined {
  if (!content || content.length === 0) return undefined;
  try {
    const value = JSON.parse(new TextDecoder().decode(content)) as Json;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Fields that the cluster maintains and that say nothing about a change. */
const noisy = ["managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "selfLink"];

/** Returns a live manifest without what the cluster maintains by itself. */
export function withoutClusterFields(manifest: { [key: string]: Json }): { [key: string]: Json } {
  const { status: _status, metadata, ...rest } = manifest;
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) return rest;
  const kept = Object.entries(metadata).filter(([key]) => !noisy.includes(key));
  return { ...rest, metadata: Object.fromEntries(kept) };
}

/** Returns a live manifest with those fields only that the wanted one sets, too; the rest are defaults and what controllers write. */
export function onlySetFields(live: Json, wanted: Json): Json {
  if (Array.isArray(live) && Array.isArray(wanted)) {
    return live.length === wanted.length ? live.map((item, index) => onlySetFields(item, wanted[index] ?? null)) : live;
  }
  if (!isObject(live) || !isObject(wanted)) return live;
  const shared = Object.keys(live).filter((key) => Object.hasOwn(wanted, key));
  return Object.fromEntries(shared.map((key) => [key, onlySetFields(live[key] ?? null, wanted[key] ?? null)]));
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counts the values that were redacted before they left their cluster. */
export function countRedacted(text: string): number {
  return text.match(/\(redacted [^)]*\)/g)?.length ?? 0;
}
