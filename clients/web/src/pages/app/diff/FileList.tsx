import { useRef, useState } from "react";
import { Name, plural } from "@/format";
import { useDrawer } from "@/shell";
import { Banner, Button, Checkbox, Disclosure } from "@/ui";
import { ChangeCount, DiffView } from "./DiffView";
import type { FileDiff } from "./sides";

interface FileListProps {
  files: readonly FileDiff[];
  /** What stands at − and at +. */
  directions: [string, string];
}

/** One diff per resource, with a tick list of those that are shown. */
export function FileList({ files, directions }: FileListProps) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const places = useRef(new Map<string, HTMLElement>());
  const toggle = (set: ReadonlySet<string>, key: string) => {
    const next = new Set(set);
    if (!next.delete(key)) next.add(key);
    return next;
  };
  const shown = files.filter(({ key }) => !hidden.has(key));
  return (
    <div className="flex min-h-0 grow gap-4 max-desk:flex-col">
      <nav aria-label="Differing resources" className="flex w-64 shrink-0 flex-col gap-1 overflow-y-auto max-desk:max-h-40 max-desk:w-full">
        <div className="flex items-center justify-between gap-2 text-label text-dim">
          {plural(files.length, "resource")}
          <Button tone="quiet" className="h-6!" onPress={() => setHidden(hidden.size > 0 ? new Set() : new Set(files.map(({ key }) => key)))}>{hidden.size > 0 ? "All" : "None"}</Button>
        </div>
        {files.map((file) => (
          <div key={file.key} className="flex min-w-0 items-center gap-1">
            <Checkbox aria-label={`Show ${file.kind} ${file.name}`} isSelected={!hidden.has(file.key)} onChange={() => setHidden(toggle(hidden, file.key))} />
            <button type="button" className="flex min-w-0 grow flex-col rounded-control px-1 text-left leading-4 hover:bg-panel" onClick={() => places.current.get(file.key)?.scrollIntoView({ block: "start" })}>
              <span className="min-w-0 truncate"><Name>{file.name}</Name></span>
              <span className="text-label text-dim">{file.kind}</span>
            </button>
            <ChangeCount a={file.a} b={file.b} />
          </div>
        ))}
      </nav>
      <div className="flex min-h-0 min-w-0 grow flex-col gap-3 overflow-y-auto">
        <div className="flex items-center gap-3 text-label text-dim">
          <span><span className="text-bad">−</span> {directions[0]}</span>
          <span><span className="text-ok">+</span> {directions[1]}</span>
          <span className="grow" />
          <Button tone="quiet" className="h-6!" onPress={() => setClosed(closed.size > 0 ? new Set() : new Set(files.map(({ key }) => key)))}>{closed.size > 0 ? "Open all" : "Close all"}</Button>
        </div>
        {shown.map((file) => (
          <section key={file.key} aria-label={`${file.kind} ${file.name}`} ref={(element) => void (element ? places.current.set(file.key, element) : places.current.delete(file.key))}>
            <FileView file={file} isOpen={!closed.has(file.key)} onToggle={() => setClosed(toggle(closed, file.key))} />
          </section>
        ))}
      </div>
    </div>
  );
}

/** The height of one resource's diff before it scrolls by itself. */
const TALLEST = 640;

function FileView({ file, isOpen, onToggle }: { file: FileDiff; isOpen: boolean; onToggle: () => void }) {
  const drawer = useDrawer();
  const title = (
    <span className="flex min-w-0 grow items-center gap-2">
      <span className="text-dim">{file.kind}</span>
      <Name>{file.name}</Name>
      {file.a === "" && <span className="text-label text-ok">is created</span>}
      {file.b === "" && <span className="text-label text-bad">is not there any more</span>}
    </span>
  );
  return (
    <Disclosure title={title} isOpen={isOpen} onChange={onToggle}>
      <div className="flex flex-col gap-2 pb-1">
        {file.isSecret && <Banner tone="info">{file.a === file.b ? "A value of this secret changed; it is not shown." : "Values of secrets are not shown; where they changed, their marks differ."}</Banner>}
        {isOpen && <DiffView label={`Differences of ${file.kind} ${file.name}`} a={file.a} b={file.b} maxHeight={TALLEST} />}
        <Button tone="quiet" className="self-start" onPress={() => drawer.open(file.key)}>Open {file.kind} {file.name}</Button>
      </div>
    </Disclosure>
  );
}
