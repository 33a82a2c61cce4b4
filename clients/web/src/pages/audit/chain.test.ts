// @vitest-environment node
import { clone, create, type MessageInitShape } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { AuditEntrySchema, type AuditEntry, type AuditIntentSchema } from "@contract/causeway/platform/v1/audit_service_pb";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ChainVerifier, importKey, type VerifiedChain } from "./chain";

/** A line as `causeway audit export` writes it. */
interface Line {
  sequence: number;
  at: number;
  kind: string;
  hash: string;
  auditId: string;
  intent?: MessageInitShape<typeof AuditIntentSchema>;
  closes?: number;
  outcome?: number;
  code?: number;
  message?: string;
  seal?: Record<"hash" | "keyId" | "publicKey" | "rootSignature" | "signature", string> & Record<"notBefore" | "notAfter", number>;
}

const folder = new URL("./fixture/", import.meta.url);
const lines = readFileSync(new URL("chain.jsonl", folder), "utf8").trim().split("\n").map((line) => JSON.parse(line) as Line);
const root = await importKey(base64Decode(readFileSync(new URL("root.pub", folder), "utf8").trim()));

function entryOf(line: Line): AuditEntry {
  const { sequence, at, hash } = line;
  return create(AuditEntrySchema, { sequence: BigInt(sequence), at: timestampFromMs(at), hash: base64Decode(hash), body: bodyOf(line) });
}

function bodyOf({ kind, auditId, intent, closes = 0, outcome = 0, code = 0, message = "", seal }: Line): NonNullable<MessageInitShape<typeof AuditEntrySchema>["body"]> {
  const call = { ...intent, auditId } as MessageInitShape<typeof AuditIntentSchema>;
  if (kind === "intent") return { case: "intent", value: call };
  if (kind === "denial") return { case: "denial", value: { intent: call, code, message } };
  if (kind === "outcome") return { case: "outcome", value: { auditId, closes: BigInt(closes), outcome, code, message } };
  if (!seal) throw new Error(`no entry of kind ${kind} in the fixture`);
  const { keyId, notBefore, notAfter } = seal;
  const signingKey = { keyId, publicKey: base64Decode(seal.publicKey), notBefore: timestampFromMs(notBefore), notAfter: timestampFromMs(notAfter), rootSignature: base64Decode(seal.rootSignature) };
  return { case: "checkpoint", value: { hash: base64Decode(seal.hash), signature: base64Decode(seal.signature), signingKey } };
}

async function verify(entries: readonly AuditEntry[], prepare: (verifier: ChainVerifier) => void = () => undefined): Promise<VerifiedChain> {
  const verifier = new ChainVerifier("default", root);
  prepare(verifier);
  for (const entry of entries) await verifier.add(entry);
  return verifier.end();
}

const entries = () => lines.map((line) => clone(AuditEntrySchema, entryOf(line)));

it("verifies what the command line exported, up to the newest checkpoint", async () => {
  const verified = await verify(entries());
  expect(verified).toMatchObject({ entries: lines.length, first: 1n, last: BigInt(lines.length), sealed: 22n });
});

it("finds a changed word, a removed entry, a moved one and one that stands twice", async () => {
  const changed = entries();
  const forged = changed.findLast((entry) => entry.body.case === "intent");
  if (forged?.body.case === "intent") forged.body.value.target = "roles/other";
  await expect(verify(changed)).rejects.toThrow(`Entry ${forged?.sequence}: its hash is not that of its content`);
  await expect(verify(entries().filter((_, index) => index !== 4))).rejects.toThrow("Entry 5: it is missing: entry 6 follows 4");
  const twice = entries();
  await expect(verify([...twice.slice(0, 3), ...twice.slice(2)])).rejects.toThrow("Entry 3: it stands twice");
  await expect(verify(entries().slice(1))).rejects.toThrow("no checkpoint");
});

it("finds a cut end, and an end that is not the one seen before", async () => {
  const last = entries().at(-1);
  const mark = { sequence: last?.sequence ?? 0n, hash: last?.hash ?? new Uint8Array(), by: "the last verify" };
  await expect(verify(entries().slice(0, -2), (verifier) => verifier.expect(mark))).rejects.toThrow("the last verify saw entries up to");
  await expect(verify(entries(), (verifier) => verifier.expect({ ...mark, hash: new Uint8Array(32) }))).rejects.toThrow("it is not the entry that the last verify saw");
});

it("refuses a seal that another key made, and the entries of another chain", async () => {
  const forged = entries();
  const checkpoint = forged.find((entry) => entry.body.case === "checkpoint");
  const unknown = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"])) as CryptoKeyPair;
  const verifier = new ChainVerifier("default", unknown.publicKey);
  const upTo = forged.slice(0, Number(checkpoint?.sequence));
  await expect((async () => { for (const entry of upTo) await verifier.add(entry); })()).rejects.toThrow("the root key does not certify the key");
  const other = new ChainVerifier("other", root);
  await expect(other.add(forged[0] as AuditEntry)).rejects.toThrow("its hash is not that");
});
