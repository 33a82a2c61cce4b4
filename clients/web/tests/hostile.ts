import { fromBinary, ScalarType, toBinary, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { callsOfContract } from "./contract.ts";
import type { Changes } from "./proxy.ts";

/** Stands before and after what is added, so that it can be taken out of requests again. */
const MARK = "\u2063";
const MARKUP = `<img src=x onerror=globalThis.hit=1>"><svg onload=globalThis.hit=1>'{{7*7}}\u202e\u{1f600}`;
const TERMINAL = "\u001b[31m\u001b]8;;javascript:globalThis.hit=1\u0007a\u001b]8;;\u0007\u001b]52;c;aGl0\u0007\0";
const LONG = "x".repeat(10_000);
export const SCRIPT_URL = "javascript:globalThis.hit=1//";

/** Fields that programs read: words of enumerations, hashes, cursors and ids. */
const READ_BY_PROGRAMS =
  /^(id|.*_id|uid|.*_uids?|cursor|.*_?token|.*digests?_hex|digest|.*hash|state_key|kind|kinds|group|groups|version|type|permissions?|role|roles|scopes|entity|entities|keys|key|action|actions|example|tag|value|method|field)$/;
/** Names that requests send back. */
const NAMES = /^(name|namespace|cluster|runtime|project|user|account|application_namespace|container|pod|resource|target|server|part|parent|parents|runtimes|clusters|namespaces|projects|names)$/;

/** Adds hostile text to every text that is shown, and takes it out of requests. */
export async function hostileChanges(): Promise<Changes & { changed: () => number }> {
  const calls = await callsOfContract();
  let count = 0;
  const through = (schema: DescMessage | undefined, message: Uint8Array, change: (field: string, text: string) => string) => {
    if (!schema) return message;
    const decoded = fromBinary(schema, message);
    changeTexts(reflect(schema, decoded), change);
    return toBinary(schema, decoded);
  };
  return {
    request: (path, message) => through(calls.get(path)?.input, message, (_, text) => clean(text)),
    answer: (path, message) => through(calls.get(path)?.output, message, (field, text) => (count++, hostile(field, text))),
    changed: () => count,
  };
}

function hostile(field: string, text: string): string {
  if (text === "" || READ_BY_PROGRAMS.test(field)) return text;
  if (/urls?$/.test(field)) return SCRIPT_URL + text;
  if (NAMES.test(field)) return text + MARK + MARKUP + (text === "podinfo" ? LONG : "") + MARK;
  return text + MARK + MARKUP + TERMINAL + MARK;
}

function clean(text: string): string {
  return text.replaceAll(new RegExp(`${MARK}[^${MARK}]*${MARK}`, "g"), "").replaceAll(SCRIPT_URL, "");
}

function changeTexts(message: ReflectMessage, change: (field: string, text: string) => string) {
  for (const field of message.fields) {
    if (message.isSet(field)) changeField(message, field, (text) => change(field.name, text));
  }

  function changeField(within: ReflectMessage, field: DescField, changeText: (text: string) => string) {
    if (field.fieldKind === "scalar" && field.scalar === ScalarType.STRING) within.set(field, changeText(within.get(field) as string));
    if (field.fieldKind === "scalar" && field.scalar === ScalarType.BYTES && field.name === "manifest") within.set(field, changeManifest(within.get(field) as Uint8Array));
    if (field.fieldKind === "message" && isOurs(field.message)) changeTexts(within.get(field), change);
    if (field.fieldKind === "list") {
      const list = within.get(field);
      for (let index = 0; index < list.size; index++) {
        if (field.listKind === "scalar" && field.scalar === ScalarType.STRING) list.set(index, changeText(list.get(index) as string));
        if (field.listKind === "message" && isOurs(field.message)) changeTexts(list.get(index) as ReflectMessage, change);
      }
    }
    if (field.fieldKind === "map" && field.mapKind === "scalar" && field.scalar === ScalarType.STRING) {
      const map = within.get(field);
      for (const [key, text] of [...map.entries()]) map.set(key, changeText(text as string));
    }
  }
}

/** Changes the repositories of a manifest in JSON, from which links are made. */
function changeManifest(manifest: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(manifest);
  return new TextEncoder().encode(text.replaceAll(/"repoURL":\s*"/g, (before) => before + SCRIPT_URL));
}

/** Times and other messages of Google hold no text that is shown. */
function isOurs({ typeName }: DescMessage): boolean {
  return typeName.startsWith("causeway.");
}
