import { useEffect, useMemo, useReducer } from "react";
import type { ApplicationKey } from "@/data";
import { LogSource, type LogQuery } from "./source";

/** New lines are painted at most every so many milliseconds. */
const PAINT = 100;

/** Reads a log while it is shown; another query reads it anew. */
export function useLog(key: ApplicationKey, query: LogQuery): LogSource | undefined {
  const [, paint] = useReducer((count: number) => count + 1, 0);
  const { runtime, cluster, namespace, name } = key;
  const { resource, container, text, invert, level, previous, follow, since, around } = query;
  const source = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changed = () => {
      timer ??= setTimeout(() => ((timer = undefined), paint()), PAINT);
    };
    return new LogSource({ runtime, cluster, namespace, name }, { resource, container, text, invert, level, previous, follow, since, around }, changed);
    // A resource is replaced by each report; its uid and name tell if it is another one.
  }, [runtime, cluster, namespace, name, resource?.uid, resource?.name, container, text, invert, level, previous, follow, since, around]);
  useStarted(source);
  return source;
}

/** React mounts twice in development, and a stopped source cannot start again. */
function useStarted(source: LogSource) {
  useEffect(() => {
    const timer = setTimeout(() => source.start(), 0);
    return () => {
      clearTimeout(timer);
      source.stop();
    };
  }, [source]);
}
