import type { FileDiff, PreviewChangeResponse } from "@contract/causeway/git/v1/commit_service_pb";
import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import { SameCommand } from "@/admin";
import type { CallError } from "@/data";
import { FailureState } from "@/failure";
import { plural, Revision } from "@/format";
import { Banner, SkeletonRows, TextField } from "@/ui";
import { Line } from "../diff/DiffView";
import { VirtualLines } from "../diff/VirtualLines";
import type { Way } from "./edits";
import { changesOf, parseUnified } from "./unified";

export interface ReviewStepProps {
  branch: string;
  preview: Pick<UseQueryResult<PreviewChangeResponse, CallError>, "data" | "error" | "refetch">;
  way: Way;
  /** The commit message, which is the title of a pull request. */
  message: string;
  onMessage: (message: string) => void;
  description: string;
  onDescription: (description: string) => void;
  command: string;
}

/** What the edits change in which files, and the message. */
export function ReviewStep({ branch, preview: { data, error, refetch }, way, message, onMessage, description, onDescription, command }: ReviewStepProps) {
  if (error) return <FailureState error={error} what="show the difference" onRetry={() => void refetch()} />;
  if (!data) return <SkeletonRows count={6} />;
  if (data.files.length === 0) return <Banner tone="info">The change leaves every file of {branch} as it is.</Banner>;
  return (
    <>
      <section aria-label="Difference" className="flex min-w-0 flex-col gap-3">
        <p className="m-0 text-dim">
          {plural(data.files.length, "file")} of {branch}, compared with <Revision>{data.base}</Revision>. Values that look like secrets are not shown.
        </p>
        {data.files.map((file) => <File key={file.path} file={file} />)}
      </section>
      {way === "commit" ? (
        <TextField label="Commit message" value={message} onChange={onMessage} rows={3} hint="You are the author. Argo CD is then asked to compare." />
      ) : (
        <>
          <TextField label="Title" value={message} onChange={onMessage} maxLength={250} hint="It is the message of its commit, too." />
          <TextField label="Description" value={description} onChange={onDescription} rows={4} />
        </>
      )}
      <SameCommand>{command}</SameCommand>
    </>
  );
}

function File({ file: { path, diff } }: { file: FileDiff }) {
  const rows = useMemo(() => parseUnified(diff), [diff]);
  const { added, removed } = changesOf(rows ?? []);
  return (
    <section aria-label={path} className="flex min-w-0 flex-col gap-1">
      <h3 className="m-0 flex min-w-0 items-center gap-3 font-mono text-body font-medium">
        <span className="min-w-0 break-all">{path}</span>
        {rows && <span className="numbers shrink-0 text-label"><span className="text-ok">+{added}</span> <span className="text-bad">−{removed}</span></span>}
      </h3>
      {rows ? <VirtualLines label={`Difference of ${path}`} count={rows.length} maxHeight={360} line={(index) => <Line row={rows[index]} />} /> : <p className="m-0 text-dim">{diff}</p>}
    </section>
  );
}
