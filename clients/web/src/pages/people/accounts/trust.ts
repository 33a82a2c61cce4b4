import { create } from "@bufbuild/protobuf";
import { TrustRuleSchema, type TrustRule } from "@contract/causeway/platform/v1/service_account_service_pb";

/** A trust rule as it is typed. */
export interface TrustDraft {
  issuer: string;
  audience: string;
  subject: string;
  /** NAME=PATTERN, with blanks between them. */
  claims: string;
}

export const issuers = {
  github: "https://token.actions.githubusercontent.com",
  gitlab: "https://gitlab.com",
} as const;

/** Says whose tokens a rule accepts. */
export function trustSentence({ issuer, audience, subject, claims }: TrustRule): string {
  const known = Object.entries(issuers).find(([, url]) => url === issuer)?.[0];
  const conditions = [subject && `subject ${subject}`, ...Object.entries(claims).map(([name, value]) => `${name} ${value}`)].filter(Boolean);
  const whose = known === "github" ? "GitHub Actions" : known === "gitlab" ? "GitLab" : issuer;
  return `accepts tokens of ${whose} for ${audience} with ${conditions.join(" and ") || "no condition"}`;
}

export function emptyTrust(audience: string): TrustDraft {
  return { issuer: issuers.github, audience, subject: "", claims: "" };
}

export function trustDraftOf({ issuer, audience, subject, claims }: TrustRule): TrustDraft {
  return { issuer, audience, subject, claims: Object.entries(claims).map(([name, value]) => `${name}=${value}`).join(" ") };
}

/** Reads what was typed; a text is what is wrong with it. */
export function parseTrust({ issuer, audience, subject, claims }: TrustDraft): TrustRule | string {
  if (!URL.canParse(issuer)) return "The issuer is a URL, exactly as in the token.";
  if (audience === "") return "Name the audience that the token must have.";
  const texts = claims.split(/\s+/).filter(Boolean);
  if (texts.some((text) => !/^[^=]+=./.test(text))) return "A claim is NAME=PATTERN, such as repository=acme/shop.";
  const pairs = texts.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)] as const);
  if (subject === "" && pairs.length === 0) return "Restrict the owner of the token, by its subject or by a claim such as repository=acme/shop.";
  return create(TrustRuleSchema, { issuer, audience, subject, claims: Object.fromEntries(pairs) });
}

/** Writes a rule as the command line takes it. */
export function trustText({ issuer, audience, subject, claims }: TrustRule): string {
  const words = [`issuer=${issuer}`, `audience=${audience}`, subject && `subject=${subject}`, ...Object.entries(claims).map(([name, value]) => `claim:${name}=${value}`)];
  return words.filter(Boolean).join(" ");
}
