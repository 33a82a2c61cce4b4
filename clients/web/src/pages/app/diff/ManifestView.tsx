import { useMemo } from "react";
import { formatClock, type Instant, plural, Time, toMillis } from "@/format";
import { CopyButton } from "@/ui";
import type { Manifest } from "../data/manifests";
import { VirtualLines } from "./VirtualLines";
import { YamlLine } from "./YamlLine";
import { countRedacted, toYaml } from "./yaml";

export interface ManifestViewProps {
  label: string;
  manifest: Manifest;
  /** When the manifest was reported. */
  asOf: Instant | undefined;
}

/** A manifest as YAML, with its time and how much was redacted. */
export function ManifestView({ label, manifest, asOf }: ManifestViewProps) {
  const text = useMemo(() => toYaml(manifest), [manifest]);
  const lines = useMemo(() => text.split("\n"), [text]);
  const at = toMillis(asOf);
  const redacted = countRedacted(text);
  return (
    <div className="flex min-h-0 grow flex-col gap-2">
      <div className="flex items-center gap-3 text-label text-dim">
        <span className="numbers">as of {at === undefined ? "–" : formatClock(at)} (<Time at={asOf} />)</span>
        <span className="numbers">{plural(lines.length, "line")}</span>
        {redacted > 0 && <span className="text-warn">redacted: {plural(redacted, "value")}</span>}
        <span className="grow" />
        <CopyButton text={text} what="manifest" />
      </div>
      <VirtualLines
        label={label}
        count={lines.length}
        className="grow"
        line={(index) => (
          <span className="flex h-5 whitespace-pre">
            <span aria-hidden className="w-12 shrink-0 pr-3 text-right text-dim select-none">{index + 1}</span>
            <span className="pr-3"><YamlLine text={lines[index] ?? ""} /></span>
          </span>
        )}
      />
    </div>
  );
}
