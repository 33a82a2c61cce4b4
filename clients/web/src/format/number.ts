const exact = new Intl.NumberFormat("en-US");

/** Writes a count with separators: 1,234. */
export function formatCount(value: number | bigint): string {
  return exact.format(value);
}

/** Writes a count for a chip: exact up to 10,000, then 12.3k or 4.5M; the exact one belongs on hover. */
export function formatShortCount(value: number | bigint): string {
  const count = Number(value);
  if (Math.abs(count) < 10_000) return exact.format(count);
  if (Math.abs(count) < 999_950) return `${oneDecimal(count / 1_000)}k`;
  return `${oneDecimal(count / 1_000_000)}M`;
}

/** Writes a share as a percentage without decimals; a small share is no zero. */
export function formatPercent(share: number): string {
  if (share > 0 && share < 0.01) return "<1%";
  if (share < 1 && share > 0.99) return "99%";
  return `${Math.round(share * 100)}%`;
}

/** Writes a change against before: +12%, −12%, ±0%. */
export function formatChange(now: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const percent = Math.round(((now - before) / before) * 100);
  if (percent === 0) return "±0%";
  return percent > 0 ? `+${percent}%` : `−${-percent}%`;
}

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** Writes a size in IEC units: 512 B, 1.5 KiB, 20 MiB. */
export function formatBytes(value: number | bigint): string {
  let size = Number(value);
  let unit = 0;
  while (Math.abs(size) >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? size : oneDecimal(size)} ${units[unit]}`;
}

/** Writes a count with its noun: 1 app, 3 apps. */
export function plural(count: number | bigint, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${Number(count) === 1 ? one : many}`;
}

function oneDecimal(value: number): string {
  const text = value.toFixed(Math.abs(value) < 100 ? 1 : 0);
  return text.endsWith(".0") ? text.slice(0, -2) : text;
}
