/** One step of a line diff: a run of equal, removed or added lines, by index into both texts. */
export interface Run {
  kind: "equal" | "removed" | "added";
  /** The first line in the text that the run is taken from. */
  from: number;
  /** The first line at the other side. */
  to: number;
  count: number;
}

/** After so many milliseconds the rest is told as one replaced block, so that no text blocks the page. */
const TIME_LIMIT = 800;

/** Compares two lists of lines by Myers' algorithm; equal starts and ends are cut off first. */
export function diffLines(a: readonly string[], b: readonly string[], timeLimit = TIME_LIMIT): Run[] {
  const head = commonHead(a, b);
  const tail = commonTail(a, b, head);
  const middle = myers(a.slice(head, a.length - tail), b.slice(head, b.length - tail), performance.now() + timeLimit);
  const runs: Run[] = [];
  append(runs, { kind: "equal", from: 0, to: 0, count: head });
  for (const run of middle) append(runs, { ...run, from: run.from + head, to: run.to + head });
  append(runs, { kind: "equal", from: a.length - tail, to: b.length - tail, count: tail });
  return runs;
}

function commonHead(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1;
  return count;
}

function commonTail(a: readonly string[], b: readonly string[], head: number): number {
  const most = Math.min(a.length, b.length) - head;
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count += 1;
  return count;
}

function append(runs: Run[], run: Run) {
  const last = runs.at(-1);
  if (run.count === 0) return;
  if (last?.kind === run.kind) last.count += run.count;
  else runs.push({ ...run });
}

/** Finds a shortest edit, forward with a trace of the furthest ends of each distance. */
function myers(a: readonly string[], b: readonly string[], deadline: number): Run[] {
  const most = a.length + b.length;
  if (most === 0) return [];
  const ends = new Int32Array(2 * most + 2);
  const trace: Int32Array[] = [];
  for (let distance = 0; distance <= most; distance += 1) {
    if (distance % 16 === 15 && performance.now() > deadline) return replaced(a.length, b.length);
    trace.push(ends.slice(most - distance, most + distance + 2));
    if (advance(a, b, ends, most, distance)) return walkBack(a, b, trace);
  }
  return replaced(a.length, b.length);
}

function replaced(removed: number, added: number): Run[] {
  const runs: Run[] = [
    { kind: "removed", from: 0, to: 0, count: removed },
    { kind: "added", from: 0, to: removed, count: added },
  ];
  return runs.filter(({ count }) => count > 0);
}

/** Moves each diagonal as far as equal lines allow; true where the end of both texts is reached. */
function advance(a: readonly string[], b: readonly string[], ends: Int32Array, middle: number, distance: number): boolean {
  for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
    const isDown = diagonal === -distance || (diagonal !== distance && end(ends, middle + diagonal - 1) < end(ends, middle + diagonal + 1));
    let x = isDown ? end(ends, middle + diagonal + 1) : end(ends, middle + diagonal - 1) + 1;
    while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
    ends[middle + diagonal] = x;
    if (x >= a.length && x - diagonal >= b.length) return true;
  }
  return false;
}

const end = (ends: Int32Array, index: number) => ends[index] ?? 0;

function walkBack(a: readonly string[], b: readonly string[], trace: readonly Int32Array[]): Run[] {
  const steps: Run[] = [];
  let x = a.length;
  let y = b.length;
  for (let distance = trace.length - 1; distance >= 0; distance -= 1) {
    const ends = trace[distance] ?? new Int32Array();
    const at = (diagonal: number) => end(ends, diagonal + distance);
    const diagonal = x - y;
    const isDown = diagonal === -distance || (diagonal !== distance && at(diagonal - 1) < at(diagonal + 1));
    const before = isDown ? diagonal + 1 : diagonal - 1;
    const startX = distance === 0 ? 0 : at(before);
    const startY = distance === 0 ? 0 : startX - before;
    const equalFrom = distance === 0 ? 0 : isDown ? startX : startX + 1;
    if (x > equalFrom) steps.push({ kind: "equal", from: equalFrom, to: equalFrom - diagonal, count: x - equalFrom });
    if (distance > 0) steps.push(isDown ? { kind: "added", from: startY, to: startX, count: 1 } : { kind: "removed", from: startX, to: startY, count: 1 });
    x = startX;
    y = startY;
  }
  const runs: Run[] = [];
  for (const step of steps.reverse()) append(runs, step);
  return runs;
}
