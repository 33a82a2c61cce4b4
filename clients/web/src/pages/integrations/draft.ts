import type { Integration } from "@contract/causeway/git/v1/integration_service_pb";
import { Provider } from "@contract/causeway/git/v1/integration_service_pb";
import { factsOf, providers, urlProblem, type ProviderFacts, type TypedCredential } from "@/git";

/** A new integration as it is typed. */
export interface IntegrationDraft {
  provider: Provider;
  name: string;
  url: string;
  kind: "token" | "ssh";
  user: string;
  password: string;
  privateKey: string;
  knownHosts: string;
}

/** Returns a draft for a kind of host; what was typed stays, and what the other kind gave is replaced. */
export function draftFor(provider: Provider, before?: IntegrationDraft): IntegrationDraft {
  const facts = factsFor(provider);
  const old = before && factsFor(before.provider);
  const keep = (typed: string | undefined, given: string | undefined, next: string) => (typed === undefined || typed === given ? next : typed);
  return {
    provider,
    kind: before?.kind ?? "token",
    name: keep(before?.name, old?.word, facts.word),
    url: keep(before?.url, old?.url, facts.url),
    user: keep(before?.user, old?.user, facts.user),
    password: before?.password ?? "",
    privateKey: before?.privateKey ?? "",
    knownHosts: before?.knownHosts ?? "",
  };
}

export function factsFor(provider: Provider): ProviderFacts {
  return factsOf(provider) ?? (providers[0] as ProviderFacts);
}

/** The host of a repository where that tells its kind. */
export function providerOf(repository: string): Provider {
  const found = providers.find(({ url }) => url !== "" && repository.includes(url.replace("https://", "")));
  return found?.provider ?? Provider.GIT;
}

/** Drops the secret, which is in no field any more once it was sent. */
export function withoutSecret(draft: IntegrationDraft): IntegrationDraft {
  return { ...draft, password: "", privateKey: "" };
}

export function hasSecret({ kind, password, privateKey, knownHosts }: IntegrationDraft): boolean {
  return kind === "token" ? password.trim() !== "" : privateKey.trim() !== "" && knownHosts.trim() !== "";
}

export function credentialOf({ kind, user, password, privateKey, knownHosts }: IntegrationDraft): TypedCredential {
  return kind === "token" ? { user: user.trim(), password } : { user: user.trim(), privateKey, knownHosts };
}

/** The URL as the runtime keeps it, which the credential is bound to. */
export function urlOf({ url }: Pick<IntegrationDraft, "url">): string {
  return url.trim().replace(/\/+$/, "");
}

/** Says what is wrong with the fields, before a secret is sent in vain. */
export function problemsOf(draft: IntegrationDraft, others: readonly Integration[]): { name?: string; url?: string; kind?: string } {
  const { name, kind } = draft;
  const url = urlOf(draft);
  const isSsh = url.startsWith("ssh://");
  return {
    ...(name !== "" && !/^(?=.{1,40}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) ? { name: "It has 1 to 40 of a-z, 0-9 and -, beginning and ending with a letter or digit." } : {}),
    ...(others.some((each) => each.name === name) ? { name: "This runtime has an integration of this name." } : {}),
    ...text("url", urlProblem(url)),
    ...(url !== "" && isSsh !== (kind === "ssh") ? { kind: isSsh ? "An ssh:// URL needs an SSH key." : "An SSH key needs an ssh:// URL." } : {}),
  };
}

function text<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: string });
}

/** The command that does the same; it reads the secret from a file or from its input. */
export function commandOf(runtime: string, draft: IntegrationDraft, sealingKey: string): string {
  const words = ["causeway integration create", draft.name || "NAME", "--runtime", runtime, "--provider", factsFor(draft.provider).word, "--url", urlOf(draft) || "URL"];
  if (draft.user.trim() !== "causeway") words.push("--user", draft.user.trim() || "USER");
  words.push(...(draft.kind === "token" ? ["--token-file", "-"] : ["--ssh-key-file", "FILE", "--known-hosts-file", "FILE"]));
  if (sealingKey) words.push("--sealing-key", sealingKey);
  return words.join(" ");
}
