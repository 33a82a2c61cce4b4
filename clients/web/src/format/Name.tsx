import { splitName, shortHash } from "./text";
import { classes } from "@/ui/classes";

/** A name that is cut in its middle where it has no room; the whole one is its title. */
export function Name({ children, className }: { children: string; className?: string }) {
  const [head, tail] = splitName(children);
  return (
    <span title={children} className={classes("inline-flex max-w-full min-w-0 align-bottom", className)}>
      <span className="truncate whitespace-pre">{head}</span>
      {tail && <span className="whitespace-pre">{tail}</span>}
    </span>
  );
}

/** A revision in the mono font: hashes by seven digits, the whole one on hover. */
export function Revision({ children }: { children: string }) {
  return (
    <code title={children} className="font-mono text-label">
      {shortHash(children)}
    </code>
  );
}
