import type { AuditEntry, AuditSeal, GetAuditHeadResponse } from "@contract/causeway/platform/v1/audit_service_pb";
import type { SigningKey } from "@contract/causeway/platform/v1/key_service_pb";
import { checkpointBytes, entryBytes, entryMillis, signingKeyBytes } from "./encode";

/** The first inconsistency of a chain. */
export class ChainError extends Error {
  override readonly name = "ChainError";

  constructor(
    readonly sequence: bigint,
    readonly problem: string,
  ) {
    super(`Entry ${sequence}: ${problem}.`);
  }
}

/** An entry that the chain must contain. */
export interface ExpectedEntry {
  sequence: bigint;
  hash: Uint8Array;
  /** Who saw it, such as "the last verify". */
  by: string;
}

export interface VerifiedChain {
  entries: number;
  first: bigint;
  last: bigint;
  hash: Uint8Array;
  /** The newest checkpoint; 0 if there is none. */
  sealed: bigint;
}

/** Verifies a chain entry by entry with the platform's root key, as `causeway audit verify` does. */
export class ChainVerifier {
  private readonly expected: ExpectedEntry[] = [];
  private readonly open = new Set<bigint>();
  private removed: bigint | undefined;
  private at = 0n;
  private key: { signing: SigningKey; crypto: CryptoKey } | undefined;
  private readonly result: VerifiedChain = { entries: 0, first: 0n, last: 0n, hash: new Uint8Array(32), sealed: 0n };

  /** With `isPart` the chain may start with any checkpoint. */
  constructor(
    private readonly chain: string,
    private readonly rootKey: CryptoKey,
    private readonly isPart = false,
  ) {}

  expect(entry: ExpectedEntry) {
    this.expected.push(entry);
  }

  /** Requires the last entry that the platform signed. */
  async expectHead(head: GetAuditHeadResponse) {
    if (!head.seal) return;
    await this.checkSeal(head.seal, head.sequence, entryMillis(head.signedAt));
    this.expect({ sequence: head.sequence, hash: head.seal.hash, by: "the platform" });
  }

  /** Verifies the next entry. */
  async add(entry: AuditEntry) {
    const { sequence } = entry;
    this.checkPlace(entry);
    const before = this.before(entry);
    const hash = await sha256(entryBytes(before, this.chain, entry));
    if (!isEqual(entry.hash, hash)) throw new ChainError(sequence, "its hash is not that of its content and of the entry before");
    const at = entryMillis(entry.at);
    if (at < this.at) throw new ChainError(sequence, "it is older than the entry before");
    await this.checkBody(entry, before, at);
    const expected = this.expected.find((mark) => mark.sequence === sequence);
    if (expected && !isEqual(expected.hash, hash)) throw new ChainError(sequence, `it is not the entry that ${expected.by} saw`);
    this.at = at;
    this.result.entries += 1;
    this.result.last = sequence;
    this.result.hash = hash;
  }

  /** Completes the verification at the end of the chain. */
  end(): VerifiedChain {
    const { last, first } = this.result;
    const missing = this.expected.find((mark) => mark.sequence > last);
    if (missing) throw new ChainError(last + 1n, `it is missing: ${missing.by} saw entries up to ${missing.sequence}`);
    const removed = first > 0n ? first - 1n : 0n;
    if (!this.isPart && removed > 0n && this.removed !== removed) {
      throw new ChainError(1n, `it is missing, up to ${removed}: no entry says that these were removed by retention`);
    }
    return this.result;
  }

  private checkPlace({ sequence, body }: AuditEntry) {
    if (sequence === 0n) throw new ChainError(sequence, "no chain has an entry of this number");
    const { first, last } = this.result;
    if (first === 0n) {
      if (sequence !== 1n && body.case !== "checkpoint") {
        throw new ChainError(sequence - 1n, `it is missing: what is there begins with entry ${sequence}, which is no checkpoint`);
      }
      this.result.first = sequence;
      return;
    }
    if (sequence > last + 1n) throw new ChainError(last + 1n, `it is missing: entry ${sequence} follows ${last}`);
    if (sequence <= last) throw new ChainError(sequence, "it stands twice or behind a later one");
  }

  /** Returns the hash of the entry before; for the first retained entry its checkpoint has it. */
  private before({ body }: AuditEntry): Uint8Array {
    return this.result.entries === 0 && body.case === "checkpoint" ? body.value.hash : this.result.hash;
  }

  private async checkBody({ sequence, body }: AuditEntry, before: Uint8Array, at: bigint) {
    switch (body.case) {
      case undefined:
        throw new ChainError(sequence, "it says nothing that this version knows");
      case "intent":
        this.open.add(sequence);
        break;
      case "outcome":
        if (!this.open.delete(body.value.closes) && body.value.closes >= this.result.first) {
          throw new ChainError(sequence, `it is the outcome of entry ${body.value.closes}, which has one already or is no intent`);
        }
        break;
      case "checkpoint":
        if (!isEqual(body.value.hash, before)) throw new ChainError(sequence, "its checkpoint seals another chain of entries");
        await this.checkSeal(body.value, sequence - 1n, at);
        this.result.sealed = sequence;
        break;
      case "retention":
        this.removed = body.value.through;
        break;
    }
  }

  /** Checks that a key that the root key certifies signed the chain up to an entry. */
  private async checkSeal(seal: AuditSeal, covers: bigint, at: bigint) {
    const place = covers + 1n;
    const { signingKey } = seal;
    if (!signingKey) throw new ChainError(place, "its signature names no key");
    if (!this.key || !isSameKey(this.key.signing, signingKey)) {
      const crypto = await certifiedKey(this.rootKey, signingKey);
      if (!crypto) throw new ChainError(place, "the root key does not certify the key that signed it");
      this.key = { signing: signingKey, crypto };
    }
    const isValid = entryMillis(signingKey.notBefore) <= at && at < entryMillis(signingKey.notAfter);
    const statement = checkpointBytes(this.chain, covers, seal.hash, at);
    if (!isValid || !(await isSigned(this.key.crypto, seal.signature, statement))) throw new ChainError(place, "the platform's signature is invalid");
  }
}

/** Reads a public key: a P-256 point, uncompressed, 65 bytes. */
export function importKey(point: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", new Uint8Array(point), { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"]);
}

async function certifiedKey(root: CryptoKey, key: SigningKey): Promise<CryptoKey | undefined> {
  const digest = await sha256(new Uint8Array(key.publicKey));
  const isNamed = toHex(digest.slice(0, 16)) === key.keyId;
  return isNamed && (await isSigned(root, key.rootSignature, signingKeyBytes(key))) ? importKey(key.publicKey) : undefined;
}

function isSigned(key: CryptoKey, signature: Uint8Array, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  return crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, new Uint8Array(signature), bytes);
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

function isSameKey(one: SigningKey, other: SigningKey): boolean {
  return one.keyId === other.keyId && isEqual(one.publicKey, other.publicKey) && isEqual(one.rootSignature, other.rootSignature);
}
