import { create } from "@bufbuild/protobuf";
import { Admission, IdentityProviderSchema, type IdentityProviderSettings } from "@contract/causeway/platform/v1/identity_provider_service_pb";
import { expect, it } from "vitest";
import { draftOfProvider, emptyProvider, endsSessions, parseSettings } from "./draft";

const provider = create(IdentityProviderSchema, {
  provider: "corp",
  issuer: "https://id.example.com",
  settings: {
    clientId: "causeway",
    scopes: ["groups"],
    groupRoles: [{ group: "cn=ops,dc=example", roles: ["operator", "viewer"] }],
    allowedDomains: ["example.com"],
    admission: Admission.EVERYBODY,
  },
});

it("reads back what it wrote, group names with signs in them, too", () => {
  const draft = draftOfProvider(provider);
  expect(draft.groups).toBe("cn=ops,dc=example=operator,viewer");
  expect(parseSettings(draft)).toEqual(provider.settings);
});

it("names the line that maps no group to a role", () => {
  expect(parseSettings({ ...emptyProvider, groups: "ops=operator\nteam" })).toBe("'team' is not GROUP=ROLE,ROLE.");
});

it("knows which changes end sessions", () => {
  const before = provider.settings as IdentityProviderSettings;
  const draft = draftOfProvider(provider);
  expect(endsSessions(before, parseSettings({ ...draft, displayName: "Corp", scopes: "email" }) as IdentityProviderSettings)).toBe(false);
  expect(endsSessions(before, parseSettings({ ...draft, domains: "example.org" }) as IdentityProviderSettings)).toBe(true);
});
