/** A page that was visited, for the command bar. */
export interface Visit {
  /** Its path with search parameters. */
  to: string;
  text: string;
}

const STORED = "causeway.recent";
const MOST = 8;

/** Returns the pages visited last, newest first. */
export function recentVisits(): readonly Visit[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isVisit).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** Remembers a visit of a page about one object. */
export function rememberVisit(visit: Visit) {
  const others = recentVisits().filter(({ to }) => to !== visit.to);
  try {
    localStorage.setItem(STORED, JSON.stringify([visit, ...others].slice(0, MOST)));
  } catch {
    // Without storage the list stays empty.
  }
}

function isVisit(value: unknown): value is Visit {
  const { to, text } = (value ?? {}) as Partial<Visit>;
  return typeof to === "string" && /^\/(?!\/)/.test(to) && typeof text === "string";
}
