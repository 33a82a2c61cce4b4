import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

interface Chunk {
  file: string;
  isEntry?: boolean;
  isDynamicEntry?: boolean;
  imports?: string[];
  css?: string[];
}

const manifest = "dist/.vite/manifest.json";
const kB = 1000;

const sizes = new Map<string, number>();
function size(file: string): number {
  let bytes = sizes.get(file);
  if (bytes === undefined) {
    bytes = gzipSync(readFileSync(`dist/${file}`)).length;
    sizes.set(file, bytes);
  }
  return bytes;
}

/** Returns all chunks that one needs before it runs. */
function closure(chunks: Record<string, Chunk>, key: string, found = new Set<string>()): Set<string> {
  if (found.has(key)) return found;
  found.add(key);
  for (const next of chunks[key]?.imports ?? []) closure(chunks, next, found);
  return found;
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

// The built files are not committed, so that a checkout without a build has nothing to measure.
it.skipIf(!existsSync(manifest))("keeps the first load and each lazy page within their budgets", () => {
  const chunks = JSON.parse(readFileSync(manifest, "utf8")) as Record<string, Chunk>;
  const entry = Object.keys(chunks).find((key) => chunks[key]?.isEntry) ?? "";
  const first = closure(chunks, entry);
  const fileOf = (key: string) => chunks[key]?.file ?? "";
  const css = new Set([...first].flatMap((key) => chunks[key]?.css ?? []));
  expect(sum([...first].map((key) => size(fileOf(key))))).toBeLessThan(250 * kB);
  expect(sum([...css].map(size))).toBeLessThan(20 * kB);
  for (const key of Object.keys(chunks).filter((each) => chunks[each]?.isDynamicEntry)) {
    const lazy = [...closure(chunks, key)].filter((each) => !first.has(each));
    expect(sum(lazy.map((each) => size(fileOf(each)))), key).toBeLessThan(120 * kB);
  }
});
