/** One bar: what went well below, what failed on top of it. */
export interface Bar {
  /** Start of its interval, in milliseconds since 1970. */
  from: number;
  succeeded: number;
  failed: number;
}

/** Returns the value that the axis ends at: 1, 2 or 5 times a power of ten, and never less than what is shown. */
export function axisEnd(bars: readonly Bar[]): number {
  const highest = Math.max(1, ...bars.map(({ succeeded, failed }) => succeeded + failed));
  const power = 10 ** Math.floor(Math.log10(highest));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= highest) ?? 10;
  return step * power;
}

export interface Totals {
  succeeded: number;
  failed: number;
}

/** Adds up all bars. */
export function totals(bars: readonly Bar[]): Totals {
  return bars.reduce(
    (sum, bar) => ({ succeeded: sum.succeeded + bar.succeeded, failed: sum.failed + bar.failed }),
    { succeeded: 0, failed: 0 },
  );
}
