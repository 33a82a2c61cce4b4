import { useEffect, useState } from "react";
import { classes } from "./classes";

/** A grey bar in the size of what is loading. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={classes("block h-3 animate-pulse rounded-control bg-line", className ?? "w-24")} />;
}

const widths = ["w-[38%]", "w-[52%]", "w-[44%]", "w-[60%]", "w-[48%]"];

/** Rows of a list that loads; they appear after 150 ms. */
export function SkeletonRows({ count = 8, label = "Loading" }: { count?: number; label?: string }) {
  const isVisible = useDelay(150);
  return (
    <div role="status" aria-label={label} className={isVisible ? undefined : "invisible"}>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className="row-height flex items-center gap-6 border-b border-line px-3">
          <Skeleton className={widths[index % widths.length] ?? "w-1/2"} />
          <Skeleton className="w-20" />
          <Skeleton className="w-16" />
        </div>
      ))}
    </div>
  );
}

/** Turns true after a time, so that what loads fast shows no skeleton. */
export function useDelay(milliseconds: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), milliseconds);
    return () => clearTimeout(timer);
  }, [milliseconds]);
  return isOver;
}
