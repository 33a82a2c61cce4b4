import type { Tone } from "@/ui/Chip";

/** The outline of a state; no two states share one. */
export type Shape =
  | "disc"
  | "half"
  | "triangle"
  | "cross"
  | "bars"
  | "question"
  | "tick-ring"
  | "split-ring"
  | "dashed-ring"
  | "play"
  | "clock"
  | "barred";

export interface StateWord {
  /** The word that the CLI uses, too. */
  word: string;
  shape: Shape;
  tone: Tone;
  /** A state without trouble: its word is dim, so that trouble stands out. */
  isQuiet?: boolean;
  /** What it means, in one sentence. */
  means: string;
}

/** All states that are shown by a mark; the keys are those of the URL. */
export const states = {
  healthy: { word: "Healthy", shape: "disc", tone: "ok", isQuiet: true, means: "All resources of the application work." },
  progressing: { word: "Progressing", shape: "half", tone: "accent", means: "It does not work yet, and may by itself." },
  degraded: { word: "Degraded", shape: "triangle", tone: "bad", means: "A resource failed, or did not work within its time." },
  suspended: { word: "Suspended", shape: "bars", tone: "unknown", means: "A user, or its own definition, paused it." },
  missing: { word: "Missing", shape: "cross", tone: "missing", means: "A resource that Git has is not in the cluster." },
  unknown: { word: "Unknown", shape: "question", tone: "unknown", means: "Its state cannot be determined." },
  synced: { word: "Synced", shape: "tick-ring", tone: "ok", isQuiet: true, means: "The cluster matches the compared revision." },
  outOfSync: { word: "OutOfSync", shape: "split-ring", tone: "warn", means: "The cluster differs from the compared revision." },
  silent: { word: "silent", shape: "dashed-ring", tone: "bad", means: "The runtime is offline; its last report is shown." },
  running: { word: "Running", shape: "play", tone: "accent", means: "An operation is in progress." },
  waiting: { word: "Waiting", shape: "clock", tone: "warn", means: "It waits for a person or for a time." },
  refused: { word: "Refused", shape: "barred", tone: "bad", means: "The platform or the runtime does not allow it." },
} as const satisfies Record<string, StateWord>;

export type State = keyof typeof states;

/** The words of actions, verb first. */
export const actions = {
  sync: "Sync",
  refresh: "Refresh",
  hardRefresh: "Hard refresh",
  rollback: "Roll back",
  terminate: "Terminate",
  promote: "Promote",
  promoteFull: "Promote full",
  pause: "Pause",
  resume: "Resume",
  abort: "Abort",
  retry: "Retry",
  restart: "Restart",
  stop: "Stop",
  resubmit: "Resubmit",
  suspend: "Suspend",
  delete: "Delete",
  revoke: "Revoke",
} as const;

/** Returns the name of an enum value in lower case with spaces: NOT_SERVING as "not serving". */
export function lowerWords(name: string): string {
  return name.toLowerCase().replaceAll("_", " ");
}

/** Returns the name of an enum value as one capitalized word: OUT_OF_SYNC as "OutOfSync". */
export function capitalWords(name: string): string {
  const words = name.toLowerCase().split("_");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
