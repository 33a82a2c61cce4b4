import { create } from "@bufbuild/protobuf";
import {
  Admission,
  IdentityProviderSettingsSchema,
  type IdentityProvider,
  type IdentityProviderSettings,
} from "@contract/causeway/platform/v1/identity_provider_service_pb";

/** The settings of a provider as they are typed. */
export interface ProviderDraft {
  provider: string;
  issuer: string;
  displayName: string;
  clientId: string;
  clientSecret: string;
  removesSecret: boolean;
  scopes: string;
  userClaim: string;
  groupsClaim: string;
  /** GROUP=ROLE,ROLE in each line. */
  groups: string;
  domains: string;
  admission: AdmissionKey;
  caCertificates: string;
}

export const admissions = [
  { key: "linked-or-mapped", text: "Linked identities, and members of a group with a role", value: Admission.LINKED_OR_MAPPED },
  { key: "linked", text: "Linked identities only", value: Admission.LINKED },
  { key: "everybody", text: "All identities of the allowed domains", value: Admission.EVERYBODY },
] as const;

export type AdmissionKey = (typeof admissions)[number]["key"];

export const emptyProvider: ProviderDraft = {
  provider: "",
  issuer: "",
  displayName: "",
  clientId: "causeway",
  clientSecret: "",
  removesSecret: false,
  scopes: "",
  userClaim: "",
  groupsClaim: "",
  groups: "",
  domains: "",
  admission: "linked-or-mapped",
  caCertificates: "",
};

export function draftOfProvider({ provider, issuer, settings }: IdentityProvider): ProviderDraft {
  return {
    ...emptyProvider,
    provider,
    issuer,
    displayName: settings?.displayName ?? "",
    clientId: settings?.clientId ?? "",
    scopes: settings?.scopes.join(" ") ?? "",
    userClaim: settings?.userClaim ?? "",
    groupsClaim: settings?.groupsClaim ?? "",
    groups: settings?.groupRoles.map(({ group, roles }) => `${group}=${roles.join(",")}`).join("\n") ?? "",
    domains: settings?.allowedDomains.join(" ") ?? "",
    admission: admissions.find(({ value }) => value === settings?.admission)?.key ?? "linked-or-mapped",
    caCertificates: settings?.caCertificates ?? "",
  };
}

/** Reads what was typed; a text is what is wrong with it. */
export function parseSettings(draft: ProviderDraft): IdentityProviderSettings | string {
  const lines = draft.groups.split("\n").map((line) => line.trim()).filter(Boolean);
  const wrong = lines.find((line) => !/^.+=[^=]+$/.test(line));
  if (wrong) return `'${wrong}' is not GROUP=ROLE,ROLE.`;
  const { displayName, clientId, userClaim, groupsClaim, caCertificates } = draft;
  return create(IdentityProviderSettingsSchema, {
    displayName,
    clientId,
    userClaim,
    groupsClaim,
    caCertificates,
    scopes: words(draft.scopes),
    allowedDomains: words(draft.domains),
    groupRoles: lines.map((line) => ({ group: line.slice(0, line.lastIndexOf("=")), roles: words(line.slice(line.lastIndexOf("=") + 1)) })),
    admission: admissions.find(({ key }) => key === draft.admission)?.value ?? Admission.UNSPECIFIED,
  });
}

/** Tells if a change ends the provider's sessions: all do but those of the display name and the scopes. */
export function endsSessions(before: IdentityProviderSettings, after: IdentityProviderSettings): boolean {
  const relevant = ({ clientId, userClaim, groupsClaim, allowedDomains, admission, caCertificates, groupRoles }: IdentityProviderSettings) =>
    JSON.stringify([clientId, userClaim, groupsClaim, allowedDomains, admission, caCertificates, groupRoles.map(({ group, roles }) => [group, roles])]);
  return relevant(before) !== relevant(after);
}

function words(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
