import { AuditService, type AuditEntry } from "@contract/causeway/platform/v1/audit_service_pb";
import { useQuery } from "@tanstack/react-query";
import type { CallError } from "@/data/problem";
import { useRead } from "@/data/queries";
import { clientOf } from "@/data/transport";
import { Skeleton } from "@/ui";
import { StateMark } from "@/state";
import { isEqual, sha256, toHex } from "./chain";
import { entryBytes } from "./encode";

export interface EntryHashProps {
  sequence: bigint;
  platform: boolean;
}

/** The place of a record in the hash chain, with its hash recomputed from its content. */
export function EntryHash({ sequence, platform }: EntryHashProps) {
  const { data: head } = useRead(AuditService.method.getAuditHead, { platform });
  const { data: entries, error } = useQuery<AuditEntry[], CallError>({
    queryKey: [AuditService.typeName, "entry", String(sequence), platform],
    queryFn: ({ signal }) => readEntries(sequence, platform, signal),
    staleTime: Infinity,
    retry: false,
  });
  const [before, entry] = sequence > 1n ? [entries?.[0], entries?.[1]] : [undefined, entries?.[0]];
  const { data: isIntact } = useQuery({
    queryKey: [AuditService.typeName, "hash", String(sequence), platform, head?.chain],
    queryFn: async () => isEqual(await sha256(entryBytes(before?.hash ?? new Uint8Array(32), head?.chain ?? "", entry as AuditEntry)), (entry as AuditEntry).hash),
    enabled: entry !== undefined && head !== undefined && isSecureContext,
    retry: false,
  });
  return (
    <section className="flex flex-col gap-1 rounded-card border border-line p-3">
      <h3 className="flex flex-wrap items-center gap-x-3 font-semibold">
        Entry {String(sequence)} of the chain {head?.chain}
        {isIntact === true && <span className="font-normal"><StateMark state="synced">hash matches</StateMark></span>}
        {isIntact === false && <span className="font-normal"><StateMark state="degraded">hash does not match its content</StateMark></span>}
      </h3>
      {error && <p className="m-0 text-dim">{error.message}</p>}
      {!error && !entry && <Skeleton className="w-full" />}
      {before && <HashLine title="before">{toHex(before.hash)}</HashLine>}
      {entry && <HashLine title="this">{toHex(entry.hash)}</HashLine>}
    </section>
  );
}

function HashLine({ title, children }: { title: string; children: string }) {
  return (
    <p className="m-0 flex gap-2"><span className="w-12 shrink-0 text-dim">{title}</span><code className="font-mono text-label break-all">{children}</code></p>
  );
}

/** Reads the entry before and the entry; the rest of the stream is not needed. */
async function readEntries(sequence: bigint, platform: boolean, signal: AbortSignal): Promise<AuditEntry[]> {
  const own = new AbortController();
  const stop = () => own.abort();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const from = sequence > 1n ? sequence - 1n : sequence;
    for await (const { entries } of clientOf(AuditService).exportAuditEntries({ fromSequence: from, platform }, { signal: own.signal })) {
      const wanted = entries.filter((entry) => entry.sequence <= sequence);
      if (wanted.length > 0) return wanted;
    }
    return [];
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}
