import type { ReactNode } from "react";
import { Button as Pressable, type ButtonProps as PressableProps } from "react-aria-components";
import { classes } from "./classes";

export type ButtonTone = "plain" | "accent" | "danger" | "quiet";

export interface ButtonProps extends Omit<PressableProps, "className" | "style" | "children"> {
  children: ReactNode;
  /** One accent button a view at most. */
  tone?: ButtonTone;
  /** Shown before the text. */
  icon?: ReactNode;
  className?: string;
}

const shape =
  "inline-flex h-(--control) shrink-0 cursor-default items-center justify-center gap-1.5 rounded-control border px-3 text-body font-medium whitespace-nowrap transition-colors duration-100 select-none data-disabled:opacity-50";

const tones: Record<ButtonTone, string> = {
  plain: "border-edge bg-raised text-text data-hovered:bg-panel data-pressed:bg-selected",
  accent: "border-transparent bg-accent text-on-accent data-hovered:opacity-90 data-pressed:opacity-80",
  danger: "border-bad bg-raised text-bad data-hovered:bg-bad-fill data-pressed:bg-bad-fill",
  quiet: "border-transparent bg-transparent text-dim data-hovered:bg-panel data-hovered:text-text data-pressed:bg-selected",
};

/** A button with a text. */
export function Button({ tone = "plain", icon, className, children, ...props }: ButtonProps) {
  return (
    <Pressable {...props} className={classes(shape, tones[tone], className)}>
      {icon}
      {children}
    </Pressable>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, "children" | "icon"> {
  /** What it does, for screen readers and the tooltip. */
  label: string;
  children: ReactNode;
}

/** A square button with an icon; wrap it in a Tooltip where the icon needs a word. */
export function IconButton({ label, tone = "quiet", className, children, ...props }: IconButtonProps) {
  return (
    <Pressable
      {...props}
      aria-label={label}
      className={classes(shape, "w-(--control) px-0!", tones[tone], className)}
    >
      {children}
    </Pressable>
  );
}
