import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, type ReactNode } from "react";
import { classes } from "@/ui";

/** The height of a line of code. */
export const LINE = 20;
/** Texts of up to this many lines are drawn whole, so that the browser's own search finds everything. */
const DRAWN_WHOLE = 300;

export interface VirtualLinesProps {
  label: string;
  count: number;
  line: (index: number) => ReactNode;
  /** Grows with its lines, up to a height, in place of filling its frame. */
  maxHeight?: number;
  className?: string;
}

/** Lines of code, drawn only where they are in view. */
export function VirtualLines({ label, count, line, maxHeight, className }: VirtualLinesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const isWhole = count <= DRAWN_WHOLE;
  const virtual = useVirtualizer({ count, enabled: !isWhole, getScrollElement: () => frame.current, estimateSize: () => LINE, overscan: 20 });
  return (
    <div
      ref={frame}
      role="region"
      aria-label={label}
      tabIndex={0}
      style={maxHeight === undefined ? undefined : { maxHeight }}
      className={classes("min-h-0 overflow-auto rounded-control border border-line bg-bg py-1 font-mono text-label leading-5", className)}
    >
      {isWhole ? (
        <div className="w-max min-w-full">{Array.from({ length: count }, (_, index) => <div key={index}>{line(index)}</div>)}</div>
      ) : (
        <div className="relative w-max min-w-full" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <div key={index} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${start}px)` }}>{line(index)}</div>
          ))}
        </div>
      )}
    </div>
  );
}
