import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { type ApplicationKey, CallError, toProblem } from "@/data";
import { FailureState } from "@/failure";
import { formatExact } from "@/format";
import { Banner, Button, EmptyState, Select, SkeletonRows, TextField } from "@/ui";
import { useApp } from "../context";
import { useParam, useSetParams } from "../data/search";
import { FileList } from "./FileList";
import { compareApplications, compareReported, compareRevisions, compareTimes, compareWithArgo, type FileDiff } from "./sides";

const kinds = { wanted: "Live and wanted", time: "Two times", revision: "Another revision", application: "Another application" } as const;
type Kind = keyof typeof kinds;

/** The parameters of all comparisons, taken away. */
const nothing = { from: undefined, to: undefined, with: undefined, revision: undefined };

interface Comparison {
  files: FileDiff[];
  leftOff: number;
  /** Why the reported manifests are compared in place of Argo CD's comparison. */
  fallback?: string;
}

/** What differs: live and wanted, two times, or two applications. */
export default function DiffTab() {
  const [from] = useParam("from");
  const [to] = useParam("to");
  const [other] = useParam("with");
  const [revision] = useParam("revision");
  const set = useSetParams(true);
  const [chosen, setChosen] = useState<Kind>();
  const kind = chosen ?? (from ? "time" : revision ? "revision" : other ? "application" : "wanted");
  const choose = (next: Kind) => {
    setChosen(next);
    if (next === "wanted") set(nothing);
  };
  return (
    <div className="flex min-h-0 grow flex-col gap-2">
      <div className="flex flex-wrap items-end gap-3">
        <Select<Kind> label="Compare" className="w-48" value={kind} onChange={choose} choices={(Object.keys(kinds) as Kind[]).map((key) => ({ key, text: kinds[key] }))} />
        {kind === "time" && <TimeForm from={from} to={to} onCompare={(from, to) => set({ ...nothing, from, to })} />}
        {kind === "revision" && <RevisionForm revision={revision} onCompare={(revision) => set({ ...nothing, revision })} />}
        {kind === "application" && <ApplicationForm other={other} onCompare={(name) => set({ ...nothing, with: name })} />}
      </div>
      <Result kind={kind} from={from} to={to} other={other} revision={revision} />
    </div>
  );
}

function TimeForm({ from, to, onCompare }: { from: string | undefined; to: string | undefined; onCompare: (from: string, to: string | undefined) => void }) {
  const [first, setFirst] = useState(from ?? new Date(Date.now() - 3_600_000).toISOString());
  const [second, setSecond] = useState(to ?? "");
  const wrong = (text: string) => (text !== "" && Number.isNaN(Date.parse(text)) ? "Write a time such as 2026-03-01T14:00:00Z" : undefined);
  const isReady = first !== "" && !wrong(first) && !wrong(second);
  return (
    <>
      <TextField label="From" value={first} onChange={setFirst} error={wrong(first)} mono className="w-56" />
      <TextField label="To" placeholder="now" value={second} onChange={setSecond} error={wrong(second)} mono className="w-56" />
      <Button isDisabled={!isReady} onPress={() => onCompare(first, second || undefined)}>Compare</Button>
    </>
  );
}

function RevisionForm({ revision, onCompare }: { revision: string | undefined; onCompare: (revision: string) => void }) {
  const [text, setText] = useState(revision ?? "");
  return (
    <>
      <TextField label="Revision" placeholder="branch, tag, commit or chart version" value={text} onChange={setText} mono className="w-72" />
      <Button isDisabled={text.trim() === ""} onPress={() => onCompare(text.trim())}>Compare</Button>
    </>
  );
}

function ApplicationForm({ other, onCompare }: { other: string | undefined; onCompare: (name: string) => void }) {
  const [name, setName] = useState(other ?? "");
  return (
    <>
      <TextField label="Application" placeholder="RUNTIME/CLUSTER/NAMESPACE/NAME" value={name} onChange={setName} mono className="w-80" />
      <Button isDisabled={!parseApplication(name)} onPress={() => onCompare(name)}>Compare</Button>
    </>
  );
}

function parseApplication(text: string): ApplicationKey | undefined {
  const [runtime, cluster, namespace, name, ...rest] = text.trim().split("/");
  return runtime && cluster && namespace && name && rest.length === 0 ? { runtime, cluster, namespace, name } : undefined;
}

interface ResultProps {
  kind: Kind;
  from: string | undefined;
  to: string | undefined;
  other: string | undefined;
  revision: string | undefined;
}

function Result({ kind, from, to, other, revision }: ResultProps) {
  const { key, resources, application } = useApp();
  const start = from === undefined ? NaN : Date.parse(from);
  const end = to === undefined ? undefined : Date.parse(to);
  const target = other === undefined ? undefined : parseApplication(other);
  const read = useQuery<Comparison, CallError>({
    queryKey: ["diff", key, kind, from, to, other, revision, kind === "wanted" ? application.resourceVersion.toString() : ""],
    enabled: kind === "wanted" || (kind === "time" && !Number.isNaN(start)) || (kind === "revision" && revision !== undefined) || (kind === "application" && target !== undefined),
    retry: false,
    placeholderData: (before, query) => (query?.queryKey[2] === kind ? before : undefined),
    queryFn: async ({ signal }) => {
      try {
        if (kind === "time") return await compareTimes(key, start, end, signal);
        if (kind === "revision") return { files: await compareRevisions(key, revision ?? "", signal), leftOff: 0 };
        if (kind === "application" && target) return { files: await compareApplications(key, target, signal), leftOff: 0 };
        return await compareWanted(key, resources, signal);
      } catch (error) {
        throw error instanceof CallError ? error : new CallError(toProblem(error));
      }
    },
  });
  if (read.error) return <FailureState error={read.error} what="compare" onRetry={() => void read.refetch()} />;
  if (read.isLoading) return <SkeletonRows count={6} label="Comparing" />;
  if (!read.data) return <EmptyState title="Choose what to compare" />;
  const { files, leftOff, fallback } = read.data;
  return (
    <>
      {fallback && <Note>Argo CD's own comparison is not available ({fallback}). The last reported manifests are compared; differences that Argo CD ignores are shown, too.</Note>}
      {leftOff > 0 && <Note>{leftOff} further resources differ and did not fit into the answer.</Note>}
      {files.length === 0 ? (
        <EmptyState title="Nothing differs">{kind === "wanted" ? "The cluster matches the compared revision." : `As of ${formatExact(Date.now()).split("\n")[0]}.`}</EmptyState>
      ) : (
        <FileList files={files} directions={kind === "wanted" ? ["live", "wanted"] : kind === "time" ? ["before", "after"] : kind === "revision" ? ["the application's revision", revision ?? ""] : [other ?? "", key.name]} />
      )}
    </>
  );
}

function Note({ children }: { children: ReactNode }) {
  return <Banner tone="info">{children}</Banner>;
}

async function compareWanted(key: ApplicationKey, resources: Parameters<typeof compareReported>[1], signal: AbortSignal): Promise<Comparison> {
  try {
    return { files: await compareWithArgo(key, signal), leftOff: 0 };
  } catch (error) {
    signal.throwIfAborted();
    return { files: await compareReported(key, resources, signal), leftOff: 0, fallback: toProblem(error).message.replace(/\.$/, "") };
  }
}
