import { base64Decode, base64Encode } from "@bufbuild/protobuf/wire";
import { AuditService } from "@contract/causeway/platform/v1/audit_service_pb";
import { call, clientOf } from "@/data/transport";
import { ChainVerifier, importKey, isEqual, type VerifiedChain } from "./chain";

/** What this browser last verified of a chain; it reveals a chain that was cut or rewritten since. */
interface Memory {
  rootKey: string;
  sequence: string;
  hash: string;
}

/** The root key differs from the pinned one. */
export class PinnedKeyError extends Error {
  override readonly name = "PinnedKeyError";

  constructor() {
    super("The platform's root key is not the one that this browser pinned: it is another platform, or its keys were replaced.");
  }
}

const nameOf = (chain: string) => `causeway.audit.${chain}`;

/** Reads a whole chain and recomputes it; the root key is pinned at the first time. */
export async function verifyChain(platform: boolean, onProgress: (done: number, all: number) => void, signal: AbortSignal): Promise<VerifiedChain> {
  const head = await call(AuditService.method.getAuditHead, { platform }, { signal });
  const memory = readMemory(head.chain);
  if (memory && !isEqual(base64Decode(memory.rootKey), head.rootKey)) {
    throw new PinnedKeyError();
  }
  const verifier = new ChainVerifier(head.chain, await importKey(head.rootKey));
  if (memory) verifier.expect({ sequence: BigInt(memory.sequence), hash: base64Decode(memory.hash), by: "the last verify" });
  await verifier.expectHead(head);
  const all = Number(head.sequence - head.firstSequence) + 1;
  let done = 0;
  for await (const { entries } of clientOf(AuditService).exportAuditEntries({ platform }, { signal })) {
    for (const entry of entries) await verifier.add(entry);
    done += entries.length;
    onProgress(done, Math.max(all, done));
  }
  const verified = verifier.end();
  keepMemory(head.chain, { rootKey: base64Encode(head.rootKey), sequence: String(verified.last), hash: base64Encode(verified.hash) });
  return verified;
}

function readMemory(chain: string): Memory | undefined {
  try {
    return JSON.parse(localStorage.getItem(nameOf(chain)) ?? "null") as Memory | undefined;
  } catch {
    return undefined;
  }
}

function keepMemory(chain: string, memory: Memory) {
  try {
    localStorage.setItem(nameOf(chain), JSON.stringify(memory));
  } catch {
    // Without storage the next time starts without an expectation.
  }
}
