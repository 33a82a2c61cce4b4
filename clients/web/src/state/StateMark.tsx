import type { ReactNode } from "react";
import { toneText } from "@/ui/Chip";
import { classes } from "@/ui/classes";
import { states, type State, type StateWord } from "@/words";
import { shapes } from "./shapes";

export interface StateShapeProps {
  state: State;
  /** 12 in lists and text. */
  size?: number;
  className?: string;
}

/** The shape of a state alone; the word must stand beside it. */
export function StateShape({ state, size = 12, className }: StateShapeProps) {
  const { shape, tone } = states[state];
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 12 12"
      aria-hidden
      data-shape={shape}
      className={classes("shrink-0", toneText[tone], className)}
    >
      {shapes[shape]}
    </svg>
  );
}

export interface StateMarkProps {
  state: State;
  /** Replaces the word where a state of another kind shares the shape, such as Terminating. */
  children?: ReactNode;
  className?: string;
}

/** A state as shape, word and colour; the words of states without trouble are dim. */
export function StateMark({ state, children, className }: StateMarkProps) {
  const { word, tone, isQuiet, means }: StateWord = states[state];
  return (
    <span title={means} className={classes("inline-flex max-w-full min-w-0 items-center gap-1.5 align-top", className)}>
      <StateShape state={state} />
      <span className={classes("truncate", isQuiet ? "text-dim" : toneText[tone])}>{children ?? word}</span>
    </span>
  );
}
