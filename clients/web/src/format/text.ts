/** Shortens a Git hash to seven digits; returns other revisions unchanged. */
export function shortHash(revision: string): string {
  return /^[0-9a-f]{40}([0-9a-f]{24})?$/i.test(revision) ? revision.slice(0, 7) : revision;
}

/** Shortens a digest such as sha256:0123… to twelve digits. */
export function shortDigest(digest: string): string {
  const [kind, hex] = digest.split(":");
  if (!hex || hex.length <= 12) return digest;
  return `${kind}:${hex.slice(0, 12)}`;
}

/** Cuts a text in its middle, so that the ends that tell names apart stay. */
export function truncateMiddle(text: string, length: number): string {
  const signs = [...text];
  if (signs.length <= length) return text;
  const kept = Math.max(2, length - 1);
  const head = Math.ceil(kept / 2);
  return `${signs.slice(0, head).join("")}…${signs.slice(signs.length - (kept - head)).join("")}`;
}

/** Splits a name for the CSS that cuts it in the middle: the end keeps its last signs. */
export function splitName(text: string, tail = 8): [string, string] {
  const signs = [...text];
  if (signs.length <= tail * 2) return [text, ""];
  return [signs.slice(0, signs.length - tail).join(""), signs.slice(signs.length - tail).join("")];
}

/** Returns the first line of a foreign text without control and direction signs. */
export function plainLine(text: string): string {
  const line = text.split(/\r?\n/, 1)[0] ?? "";
  return line.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "");
}

/** Returns "Name" of "Name <address>". */
export function authorName(author: string): string {
  return plainLine(author.split("<", 1)[0] ?? "").trim();
}

/** Returns two letters for a person without a picture. */
export function initials(name: string): string {
  const words = name.trim().split(/[\s._-]+/).filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)].map((word) => [...(word ?? "")][0]) : [...(words[0] ?? "?")].slice(0, 2);
  return letters.join("").toUpperCase();
}
