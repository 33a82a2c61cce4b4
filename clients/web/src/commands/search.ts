import { useEffect, useState } from "react";
import { getJson } from "@/session/json";

export interface SearchResult {
  id: string;
  kind: string;
  text: string;
  detail: string;
  /** The page about it. */
  to: string;
  health: string | undefined;
}

interface Found {
  kind?: string;
  runtime?: string;
  cluster?: string;
  namespace?: string;
  name?: string;
  resource?: string;
  detail?: string;
  application?: string;
  health?: string;
}

const DEBOUNCE = 80;

/** Finds things by text at the server; keeps the last results while the next ones load. */
export function useServerSearch(text: string): readonly SearchResult[] {
  const [results, setResults] = useState<readonly SearchResult[]>([]);
  const query = text.trim();
  useEffect(() => {
    if (query === "") return setResults([]);
    const abort = new AbortController();
    const timer = setTimeout(() => {
      void find(query, abort.signal).then((found) => abort.signal.aborted || setResults(found));
    }, DEBOUNCE);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [query]);
  return results;
}

async function find(text: string, signal: AbortSignal): Promise<readonly SearchResult[]> {
  try {
    return (await findEverything(text, signal)).flatMap(toResult);
  } catch {
    // The bar still offers places and actions.
    return [];
  }
}

async function findEverything(text: string, signal: AbortSignal): Promise<Found[]> {
  const query = new URLSearchParams({ text, mostResults: "6" });
  const { results = [] } = await getJson<{ results?: Found[] }>(`/v1/search?${query}`, signal);
  return results;
}

/** Maps a result to the page about it; kinds without a page are left out. */
export function toResult(found: Found): SearchResult[] {
  const to = pageOf(found);
  if (to === undefined) return [];
  const place = [found.runtime, found.cluster, found.namespace].filter(Boolean).join(" / ");
  return [
    {
      id: `${found.kind}:${found.runtime}/${found.cluster}/${found.namespace}/${found.resource}/${found.name}`,
      kind: (found.kind ?? "").replace("SEARCH_KIND_", "").toLowerCase(),
      text: found.name ?? "",
      detail: [place, found.detail].filter(Boolean).join(" · "),
      to,
      health: found.health?.replace("HEALTH_STATUS_", "").toLowerCase(),
    },
  ];
}

function pageOf({ kind, runtime = "", cluster = "", namespace = "", name = "", resource = "", application }: Found): string | undefined {
  switch (kind) {
    case "SEARCH_KIND_APPLICATION":
      return path("apps", runtime, cluster, namespace, name);
    case "SEARCH_KIND_RUNTIME":
      return path("runtimes", name || runtime);
    case "SEARCH_KIND_CLUSTER":
      return `/clusters?q=${encodeURIComponent(name || cluster)}`;
    case "SEARCH_KIND_IMAGE":
      return `/images?q=${encodeURIComponent(name)}`;
    case "SEARCH_KIND_RESOURCE":
      if (application) return `${path("apps", ...application.split("/"))}?q=${encodeURIComponent(name)}`;
      return resource.startsWith("Workflow.") ? path("workflows", runtime, cluster, namespace, name) : undefined;
    case "SEARCH_KIND_COMMIT":
      return application && path("apps", ...application.split("/"));
    default:
      return undefined;
  }
}

function path(...segments: string[]): string {
  return `/${segments.map(encodeURIComponent).join("/")}`;
}
