import { create, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { CredentialSchema, type Provider, type SealedCredentialSchema } from "@contract/causeway/git/v1/integration_service_pb";
import type { Runtime } from "@contract/causeway/platform/v1/runtime_service_pb";
import { seal } from "./hpke";

/** Names the kind of the secret; the runtime opens no other one as a credential. */
const INFO = "causeway.git.v1.Credential";

/** A credential as it is typed. */
export type TypedCredential = { user: string; password: string } | { user: string; privateKey: string; knownHosts: string };

/** What a credential is bound to. It opens nowhere else. */
export interface Place {
  runtime: Pick<Runtime, "runtimeId" | "sealingKey">;
  name: string;
  provider: Provider;
  url: string;
}

/** Seals a credential to the runtime, so that neither the platform nor the network sees it. */
export async function sealCredential({ runtime, name, provider, url }: Place, typed: TypedCredential): Promise<MessageInitShape<typeof SealedCredentialSchema>> {
  const encoded = toBinary(CredentialSchema, create(CredentialSchema, { user: typed.user, secret: secretOf(typed) }));
  const context = [runtime.runtimeId, name, String(provider), url].join("\0");
  return seal(runtime.sealingKey.slice(), INFO, context, encoded.slice());
}

function secretOf(typed: TypedCredential): MessageInitShape<typeof CredentialSchema>["secret"] {
  if ("password" in typed) return { case: "password", value: typed.password.trim() };
  // The ssh program refuses a key without a line break at its end.
  return { case: "sshKey", value: { privateKey: `${typed.privateKey.trim()}\n`, knownHosts: `${typed.knownHosts.trim()}\n` } };
}

/** The id of a public key, as the command line shows it. */
export async function keyId(publicKey: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", publicKey.slice()));
  return [...digest.slice(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
