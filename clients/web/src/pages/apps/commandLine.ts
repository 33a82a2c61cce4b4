import type { Row } from "@/data";
import { formatUtc } from "@/format";
import { healthState, phaseState, syncState } from "@/state";
import { states } from "@/words";

/** Returns the command that does the same for the applications in a terminal. */
export function appCommand(verb: string, rows: readonly Pick<Row, "runtime" | "namespace" | "name">[]): string {
  return ["causeway app", verb, ...rows.map(({ runtime, namespace, name }) => quote(`${runtime}/${namespace}/${name}`))].join(" ");
}

function quote(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

const heads = ["runtime", "cluster", "namespace", "name", "project", "health", "sync", "revision", "operation", "initiated_by", "finished_at"];

/** Writes rows as CSV with a header line. */
export function toCsv(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.runtime, row.cluster, row.namespace, row.name, row.project,
    states[healthState(row.health)].word, states[syncState(row.sync)].word, row.revision,
    row.operation ? phaseState(row.operation.phase).word : "", row.operation?.initiatedBy ?? "",
    row.operation?.finishedAt === undefined ? "" : formatUtc(row.operation.finishedAt),
  ]);
  return [heads, ...lines].map((line) => line.map(csvField).join(",")).join("\r\n");
}

/** Quotes a field; what a spreadsheet would take for a formula gets a leading apostrophe. */
function csvField(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Gives a text to the browser as a file. */
export function download(name: string, type: string, text: string) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
