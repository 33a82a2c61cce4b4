import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button as Pressable } from "react-aria-components";
import { classes } from "./classes";

export type Tone = "ok" | "bad" | "warn" | "accent" | "missing" | "unknown";

export const toneText: Record<Tone, string> = {
  ok: "text-ok",
  bad: "text-bad",
  warn: "text-warn",
  accent: "text-accent",
  missing: "text-missing",
  unknown: "text-unknown",
};

export const toneFill: Record<Tone, string> = {
  ok: "bg-ok-fill text-ok",
  bad: "bg-bad-fill text-bad",
  warn: "bg-warn-fill text-warn",
  accent: "bg-accent-fill text-accent",
  missing: "bg-missing-fill text-missing",
  unknown: "bg-unknown-fill text-unknown",
};

export interface ChipProps {
  children: ReactNode;
  tone?: Tone;
  /** Adds a button that takes it away. */
  onRemove?: () => void;
  /** Names what the button removes. */
  removeLabel?: string;
  className?: string;
}

/** A short word in a pill: a label, a filter, a count. */
export function Chip({ children, tone, onRemove, removeLabel, className }: ChipProps) {
  return (
    <span
      className={classes(
        "numbers inline-flex h-5 max-w-full items-center gap-1 rounded-chip px-2 text-label whitespace-nowrap",
        tone ? toneFill[tone] : "bg-panel text-text",
        className,
      )}
    >
      <span className="truncate">{children}</span>
      {onRemove && (
        <Pressable aria-label={removeLabel ?? "Remove"} onPress={onRemove} className="-mr-1 flex size-4 items-center justify-center rounded-chip data-hovered:bg-selected">
          <X size={12} aria-hidden />
        </Pressable>
      )}
    </span>
  );
}
