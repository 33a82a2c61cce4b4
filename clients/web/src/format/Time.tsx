import { timestampMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import { useNow } from "./clock";
import { formatAgo, formatDuration, formatExact, formatTime, formatUtc } from "./time";

/** A time of the contract, or milliseconds since 1970. */
export type Instant = Timestamp | number | bigint | Date;

/** Returns milliseconds since 1970; undefined for no time. */
export function toMillis(at: Instant | undefined): number | undefined {
  if (at === undefined) return undefined;
  if (typeof at === "number") return at;
  if (typeof at === "bigint") return Number(at);
  return at instanceof Date ? at.getTime() : timestampMs(at);
}

export interface TimeProps {
  at: Instant | undefined;
  /** Set within a sentence: "12 min ago" in place of "12 min". */
  inSentence?: boolean;
  className?: string;
}

/** A time relative to now, with the exact local and UTC one on hover. */
export function Time({ at, inSentence, className }: TimeProps) {
  const now = useNow();
  const millis = toMillis(at);
  if (millis === undefined) return <span className={className}>–</span>;
  return (
    <time dateTime={formatUtc(millis)} title={formatExact(millis)} className={className}>
      {inSentence ? formatAgo(millis, now) : formatTime(millis, now)}
    </time>
  );
}

/** How long something has lasted: since a time, up to another one or now. */
export function Elapsed({ since, until, className }: { since: Instant | undefined; until?: Instant | undefined; className?: string }) {
  const now = useNow();
  const from = toMillis(since);
  if (from === undefined) return <span className={className}>–</span>;
  return (
    <time title={formatExact(from)} className={className}>
      {formatDuration((toMillis(until) ?? now) - from)}
    </time>
  );
}
