import { CircleAlert, Info, TriangleAlert, X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "./Button";
import { toneFill } from "./Chip";
import { classes } from "./classes";

export interface BannerProps {
  tone: "info" | "warn" | "bad";
  children: ReactNode;
  /** Buttons at its end. */
  actions?: ReactNode;
  onClose?: () => void;
}

const icons = { info: Info, warn: TriangleAlert, bad: CircleAlert };

/** A sentence over the content that stays until its cause is gone. */
export function Banner({ tone, children, actions, onClose }: BannerProps) {
  const Icon = icons[tone];
  return (
    <div
      role={tone === "bad" ? "alert" : "status"}
      className={classes("flex min-h-9 flex-wrap items-center gap-2 rounded-card px-3 py-1.5", toneFill[tone === "info" ? "accent" : tone])}
    >
      <Icon size={16} aria-hidden className="shrink-0" />
      <div className="min-w-0 grow basis-40 text-text">{children}</div>
      {actions}
      {onClose && <IconButton label="Close" onPress={onClose}><X size={14} aria-hidden /></IconButton>}
    </div>
  );
}
