import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { AuditEntry, AuditIntent, AuditSeal } from "@contract/causeway/platform/v1/audit_service_pb";
import type { SigningKey } from "@contract/causeway/platform/v1/key_service_pb";

/** The bytes that are hashed and signed, as the contract defines them for AuditEntry and AuditSeal. */
class Fields {
  private readonly parts: Uint8Array[] = [];

  raw(bytes: Uint8Array): this {
    this.parts.push(bytes);
    return this;
  }

  bytes(field: Uint8Array): this {
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, field.length);
    return this.raw(length).raw(field);
  }

  text(...fields: string[]): this {
    for (const field of fields) this.bytes(utf8.encode(field));
    return this;
  }

  number(...fields: (bigint | number)[]): this {
    for (const field of fields) this.bytes(eightBytes(field));
    return this;
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of this.parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}

const utf8 = new TextEncoder();

function eightBytes(value: bigint | number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt.asIntN(64, BigInt(value)));
  return bytes;
}

/** Returns milliseconds since 1970; 0 if absent. */
export function entryMillis(time: Timestamp | undefined): bigint {
  return time ? time.seconds * 1000n + BigInt(Math.floor(time.nanos / 1_000_000)) : 0n;
}

/** Returns the bytes whose SHA-256 is the hash of an entry. */
export function entryBytes(before: Uint8Array, chain: string, entry: AuditEntry): Uint8Array<ArrayBuffer> {
  const fields = new Fields().raw(before).text("causeway-audit-entry-v1", chain).number(entry.sequence, entryMillis(entry.at));
  const { body } = entry;
  switch (body.case) {
    case "intent":
      intent(fields.text("intent"), body.value);
      break;
    case "denial":
      if (body.value.intent) intent(fields.text("denial"), body.value.intent);
      fields.number(body.value.code).text(body.value.message);
      break;
    case "outcome":
      fields.text("outcome", body.value.auditId).number(body.value.closes, body.value.outcome, body.value.code).text(body.value.message);
      break;
    case "checkpoint":
      seal(fields.text("checkpoint"), body.value);
      break;
    case "retention":
      fields.text("retention").number(body.value.through, entryMillis(body.value.before));
      break;
  }
  return fields.toBytes();
}

function intent(fields: Fields, it: AuditIntent) {
  fields.text(it.auditId, it.subject, it.credential, it.method, it.permission, it.runtime, it.target, it.requestId, it.traceId, it.sourceAddress);
}

function seal(fields: Fields, it: AuditSeal) {
  const key = it.signingKey;
  fields.bytes(it.hash).bytes(key?.publicKey ?? new Uint8Array());
  fields.number(key?.notBefore?.seconds ?? 0n, key?.notAfter?.seconds ?? 0n);
  fields.bytes(key?.rootSignature ?? new Uint8Array()).bytes(it.signature);
}

/** Returns the bytes that the platform signs for a chain that ends with an entry. */
export function checkpointBytes(chain: string, sequence: bigint, hash: Uint8Array, at: bigint): Uint8Array<ArrayBuffer> {
  return new Fields().text("causeway-audit-checkpoint-v1", chain).number(sequence).bytes(hash).number(at).toBytes();
}

/** Returns the bytes that the root key signs for a signing key. */
export function signingKeyBytes(key: SigningKey): Uint8Array<ArrayBuffer> {
  const times = [key.notBefore?.seconds ?? 0n, key.notAfter?.seconds ?? 0n].map(eightBytes);
  const fields = new Fields().text("causeway-signing-key-v1", key.keyId).bytes(key.publicKey);
  for (const time of times) fields.raw(time);
  return fields.toBytes();
}
