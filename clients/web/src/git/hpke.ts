/** Sealing of a secret to a public key: HPKE (RFC 9180) in base mode with DHKEM(P-256), HKDF-SHA256 and AES-256-GCM, by the browser's own primitives. */

export interface Sealed {
  encapsulatedKey: Uint8Array<ArrayBuffer>;
  ciphertext: Uint8Array<ArrayBuffer>;
}

type Bytes = Uint8Array<ArrayBuffer>;

const curve = { name: "ECDH", namedCurve: "P-256" } as const;
const text = (value: string): Bytes => new TextEncoder().encode(value);
const kem = join(text("KEM"), Uint8Array.of(0, 0x10));
const suite = join(text("HPKE"), Uint8Array.of(0, 0x10, 0, 1, 0, 2));
/** A key of zeros stands for no salt. */
const noSalt = new Uint8Array(32);
const nothing = new Uint8Array();

/** Seals a secret; only the holder of the private key opens it, and only with equal info and context. */
export async function seal(publicKey: Bytes, info: string, context: string, secret: Bytes, ephemeral?: CryptoKeyPair): Promise<Sealed> {
  const pair = ephemeral ?? (await crypto.subtle.generateKey(curve, true, ["deriveBits"]));
  const receiver = await crypto.subtle.importKey("raw", publicKey, curve, false, []);
  const encapsulatedKey = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const agreed = new Uint8Array(await crypto.subtle.deriveBits({ name: "ECDH", public: receiver }, pair.privateKey, 256));
  const shared = await expand(kem, await extract(kem, noSalt, "eae_prk", agreed), "shared_secret", join(encapsulatedKey, publicKey), 32);
  const mode = Uint8Array.of(0);
  const schedule = join(mode, await extract(suite, noSalt, "psk_id_hash", nothing), await extract(suite, noSalt, "info_hash", text(info)));
  const master = await extract(suite, shared, "secret", nothing);
  const key = await crypto.subtle.importKey("raw", await expand(suite, master, "key", schedule, 32), "AES-GCM", false, ["encrypt"]);
  const algorithm = { name: "AES-GCM", iv: await expand(suite, master, "base_nonce", schedule, 12), additionalData: text(context) };
  return { encapsulatedKey, ciphertext: new Uint8Array(await crypto.subtle.encrypt(algorithm, key, secret)) };
}

/** LabeledExtract of the RFC. */
function extract(id: Bytes, salt: Bytes, label: string, input: Bytes): Promise<Bytes> {
  return hmac(salt, join(text("HPKE-v1"), id, text(label), input));
}

/** LabeledExpand of the RFC, for at most 32 bytes: one block of HKDF. */
async function expand(id: Bytes, key: Bytes, label: string, info: Bytes, length: number): Promise<Bytes> {
  const labelled = join(Uint8Array.of(0, length), text("HPKE-v1"), id, text(label), info);
  return (await hmac(key, join(labelled, Uint8Array.of(1)))).slice(0, length);
}

async function hmac(key: Bytes, message: Bytes): Promise<Bytes> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

function join(...parts: Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}
