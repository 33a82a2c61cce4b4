/** Which lines are shown by what programs commonly write for their level. */
export type Level = "all" | "warn" | "error";

export const levels = [
  { key: "all", text: "All levels" },
  { key: "warn", text: "Warnings, errors" },
  { key: "error", text: "Errors" },
] as const satisfies readonly { key: Level; text: string }[];

// Both the server and the browser match with these, so they have only what RE2 and JavaScript share.
const ERROR = String.raw`\b(ERROR|FATAL|PANIC|CRITICAL|SEVERE)\b|\bpanic:|\blevel=("?)(error|fatal|panic)|"(level|severity|lvl)": ?"([Ee][Rr][Rr]|[Ff][Aa][Tt]|[Pp][Aa][Nn]|CRIT)`;
const WARN = String.raw`\bWARN(ING)?\b|\blevel=("?)warn|"(level|severity|lvl)": ?"[Ww][Aa][Rr][Nn]`;

/** The pattern of the lines of a level and above; empty for all lines. */
export function patternOf(level: Level): string {
  if (level === "all") return "";
  return level === "error" ? ERROR : `${ERROR}|${WARN}`;
}

const error = new RegExp(ERROR);
const warn = new RegExp(WARN);

/** Returns the level of a line; undefined where it tells none that matters. */
export function levelOf(text: string): "error" | "warn" | undefined {
  if (error.test(text)) return "error";
  return warn.test(text) ? "warn" : undefined;
}

/** Reports if a line belongs to a level. */
export function isOfLevel(text: string, level: Level): boolean {
  const found = levelOf(text);
  return level === "all" || found === "error" || (level === "warn" && found === "warn");
}
