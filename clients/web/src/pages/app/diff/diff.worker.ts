import { diffLines } from "./lines";

/** Compares two long texts beside the page. */
self.addEventListener("message", ({ data }: MessageEvent<{ id: number; a: string[]; b: string[] }>) => {
  self.postMessage({ id: data.id, runs: diffLines(data.a, data.b, 4_000) });
});
