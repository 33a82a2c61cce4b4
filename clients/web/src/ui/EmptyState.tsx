import type { ReactNode } from "react";

export interface EmptyStateProps {
  title: string;
  /** What this is for, or which filter hides everything. */
  children?: ReactNode;
  /** One command or button to get the first. */
  action?: ReactNode;
}

/** A list without rows. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-12 text-center">
      <svg width="72" height="44" viewBox="0 0 72 44" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" aria-hidden className="mb-2 text-field">
        <path d="M2 34h68M12 34c0-14 10-22 24-22s24 8 24 22M24 34V15M36 34V12M48 34V15" />
        <path d="M6 40h8M22 40h12M44 40h6M58 40h8" className="text-edge" stroke="currentColor" />
      </svg>
      <h2 className="text-h2 font-semibold">{title}</h2>
      {children && <div className="max-w-[52ch] text-dim">{children}</div>}
      {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
