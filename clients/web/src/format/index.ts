/** How the UI writes numbers, times, names and hashes. */
export { now, setClockOffset, useNow } from "./clock";
export { Name, Revision } from "./Name";
export { formatBytes, formatChange, formatCount, formatPercent, formatShortCount, plural } from "./number";
export { authorName, initials, plainLine, shortDigest, shortHash, truncateMiddle } from "./text";
export { Elapsed, Time, toMillis, type Instant } from "./Time";
export { formatAge, formatClock, formatDate, formatDuration, formatExact, formatTime, formatUtc, formatWeekday } from "./time";
