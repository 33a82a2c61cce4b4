import { useEffect, useMemo, useState } from "react";
import { diffLines, type Run } from "./lines";
import workerUrl from "./diff.worker.ts?worker&url";
import { workerUrl as trusted } from "@/worker-url";

/** Texts with more lines than this are compared in a worker. */
const LONG = 5_000;

/** Compares two texts; undefined while a worker compares long ones. */
export function useDiff(a: readonly string[], b: readonly string[]): Run[] | undefined {
  const isLong = a.length + b.length > LONG;
  const here = useMemo(() => (isLong ? undefined : diffLines(a, b)), [a, b, isLong]);
  const [told, setTold] = useState<{ a: readonly string[]; b: readonly string[]; runs: Run[] }>();
  useEffect(() => {
    if (!isLong) return;
    const worker = new Worker(trusted(workerUrl), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<{ runs: Run[] }>) => setTold({ a, b, runs: data.runs }));
    worker.postMessage({ id: 0, a, b });
    return () => worker.terminate();
  }, [a, b, isLong]);
  return here ?? (told?.a === a && told.b === b ? told.runs : undefined);
}
