import type { ReactNode } from "react";

interface SectionProps {
  title: string;
  /** Controls and figures beside the title. */
  beside?: ReactNode;
  children: ReactNode;
}

/** A titled part of the page. */
export function Section({ title, beside, children }: SectionProps) {
  return (
    <section>
      <header className="mb-1 flex min-h-8 flex-wrap items-center gap-x-4 gap-y-1 border-b border-edge pb-1">
        <h2 className="text-h2 font-semibold">{title}</h2>
        {beside}
      </header>
      {children}
    </section>
  );
}
