/** A step of a rollout as one sees it. */
export interface Step {
  text: string;
  state: "done" | "current" | "waiting";
  /** The weight that it sets. */
  weight: number | undefined;
}

/** Returns the steps with what is done; an absent current step means that none began. */
export function stepsOf(steps: readonly string[], current: number | undefined): Step[] {
  const at = current ?? 0;
  return steps.map((text, index) => ({
    text: text.replace(/^setWeight (\d+)$/, "$1 %").replace(/^pause$/, "pause until promoted"),
    state: index < at ? "done" : index === at ? "current" : "waiting",
    weight: weightOf(text),
  }));
}

function weightOf(text: string): number | undefined {
  const match = /^setWeight (\d+)$/.exec(text);
  return match ? Number(match[1]) : undefined;
}

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Returns how long a pause step lasts in milliseconds; undefined for one that a person ends. */
export function pauseLength(step: string | undefined): number | undefined {
  const match = /^pause (\d+[smh]?(?:\d+[smh])*)$/.exec(step ?? "");
  if (!match?.[1]) return undefined;
  const parts = [...match[1].matchAll(/(\d+)([smh]?)/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit || "s"] ?? 0), 0);
}
