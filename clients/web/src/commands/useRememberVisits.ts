import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { rememberVisit, type Visit } from "./recent";

/** Remembers the pages about one object, whichever way they are opened. */
export function useRememberVisits() {
  const path = useLocation({ select: (location) => location.pathname });
  useEffect(() => {
    const visit = visitOf(path);
    if (visit) rememberVisit(visit);
  }, [path]);
}

/** Returns the object that a page is about; undefined for lists. */
export function visitOf(path: string): Visit | undefined {
  const [, place, ...segments] = path.split("/");
  const names = segments.map(decode);
  if (place === "apps" && names.length === 4) return { to: path, text: `${names[3]} — ${names[0]}` };
  if (place === "workflows" && names.length === 4) return { to: path, text: `Workflow ${names[3]} — ${names[0]}` };
  if (place === "runtimes" && names.length === 1) return { to: path, text: `Runtime ${names[0]}` };
  return undefined;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
