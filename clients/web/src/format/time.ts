const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Writes a duration in milliseconds: 41 s, 8 min, 2 h 5 min, 6 d. */
export function formatDuration(milliseconds: number): string {
  const length = Math.max(0, milliseconds);
  if (length < SECOND && length > 0) return `${Math.round(length)} ms`;
  if (length < MINUTE) return `${Math.floor(length / SECOND)} s`;
  if (length < HOUR) return `${Math.floor(length / MINUTE)} min`;
  if (length < DAY) return hoursAndMinutes(length);
  return `${Math.floor(length / DAY)} d`;
}

function hoursAndMinutes(length: number): string {
  const hours = Math.floor(length / HOUR);
  const minutes = Math.floor((length % HOUR) / MINUTE);
  return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
}

/** Writes a duration in its largest unit alone, for narrow columns: 41 s, 8 min, 2 h, 6 d. */
export function formatAge(milliseconds: number): string {
  const text = formatDuration(milliseconds);
  return text.split(" ").slice(0, 2).join(" ");
}

export interface TimeStyle {
  /** An IANA zone; the browser's one without it. */
  zone?: string | undefined;
}

/** Writes a time as people read it: an age within 24 h, then Fri 14:02, 12 Nov, 12 Nov 2025. */
export function formatTime(at: number, now: number, style: TimeStyle = {}): string {
  const age = now - at;
  if (age < -5 * SECOND) return formatFuture(-age, at, style);
  if (age < 5 * SECOND) return "now";
  if (age < DAY) return formatAge(age);
  if (age < 7 * DAY) return `${formatWeekday(at, style)} ${formatClock(at, style)}`;
  return formatDate(at, now, style);
}

/** Writes a time for a sentence: 8 min ago, now, Fri 14:02. */
export function formatAgo(at: number, now: number, style: TimeStyle = {}): string {
  const text = formatTime(at, now, style);
  const age = now - at;
  return age >= 5 * SECOND && age < DAY ? `${text} ago` : text;
}

function formatFuture(ahead: number, at: number, style: TimeStyle): string {
  if (ahead < DAY) return `in ${formatAge(ahead)}`;
  return `${formatDate(at, at, style)} ${formatClock(at, style)}`;
}

/** Writes a day: 12 Nov, with the year where it is another one. */
export function formatDate(at: number, now: number, style: TimeStyle = {}): string {
  const year = part(at, { year: "numeric" }, style);
  const day = `${part(at, { day: "numeric" }, style)} ${part(at, { month: "short" }, style)}`;
  return year === part(now, { year: "numeric" }, style) ? day : `${day} ${year}`;
}

/** Writes the weekday: Fri. */
export function formatWeekday(at: number, style: TimeStyle = {}): string {
  return part(at, { weekday: "short" }, style);
}

/** Writes the time of day: 14:02. */
export function formatClock(at: number, style: TimeStyle = {}): string {
  return part(at, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }, style);
}

/** Writes a time exactly, local with its zone and UTC, for hover and copy. */
export function formatExact(at: number, style: TimeStyle = {}): string {
  const local = part(
    at,
    { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZoneName: "short" },
    style,
  );
  return `${local}\n${formatUtc(at)}`;
}

/** Writes a time as RFC 3339 in UTC, to the second. */
export function formatUtc(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}

function part(at: number, options: Intl.DateTimeFormatOptions, style: TimeStyle): string {
  return formatter({ ...options, ...(style.zone ? { timeZone: style.zone } : {}) }).format(at);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Formatters are slow to create, so each is made once. */
function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  let found = formatters.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat("en-GB", options);
    formatters.set(key, found);
  }
  return found;
}
