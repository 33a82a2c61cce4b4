import { IdentityProviderService, type IdentityProvider } from "@contract/causeway/platform/v1/identity_provider_service_pb";
import { SessionService } from "@contract/causeway/platform/v1/session_service_pb";
import { useEffect, useState } from "react";
import { ChangeDialog, useChange } from "@/admin";
import { useWhoAmI } from "@/data/reads/platform";
import { Banner, Checkbox, Command, Disclosure, Select, TextField } from "@/ui";
import { admissions, draftOfProvider, emptyProvider, endsSessions, parseSettings, type ProviderDraft } from "./draft";

export interface ProviderEditorProps {
  /** The provider to change, or "new"; undefined while closed. */
  provider: IdentityProvider | "new" | undefined;
  onClose: () => void;
}

type TextKey = { [K in keyof ProviderDraft]: ProviderDraft[K] extends string ? K : never }[keyof ProviderDraft];

/** Adds a provider, or changes all of its settings but the issuer. */
export function ProviderEditor({ provider, onClose }: ProviderEditorProps) {
  const [draft, setDraft] = useState(emptyProvider);
  const isNew = provider === "new";
  const before = provider === "new" ? undefined : provider;
  useEffect(() => {
    if (provider !== undefined) setDraft(provider === "new" ? emptyProvider : draftOfProvider(provider));
  }, [provider]);
  const options = { affects: [SessionService], onDone: onClose };
  const creation = useChange(IdentityProviderService.method.createIdentityProvider, options);
  const update = useChange(IdentityProviderService.method.updateIdentityProvider, options);
  const change = isNew ? creation : update;
  const { data: me } = useWhoAmI();
  const settings = parseSettings(draft);
  const { provider: name, issuer, clientSecret, removesSecret } = draft;
  const submit = () => {
    if (typeof settings === "string") return;
    if (isNew) creation.run({ provider: name, issuer, settings, clientSecret });
    else update.run({ provider: name, settings, clientSecret, removeClientSecret: removesSecret, version: before?.version ?? "" });
  };
  const field = (key: TextKey) => ({
    value: draft[key],
    onChange: (text: string) => setDraft({ ...draft, [key]: text }),
    error: change.failure?.fields[fieldNames[key] ?? key] ?? change.failure?.fields[`settings.${fieldNames[key] ?? key}`],
    autoComplete: "off",
  });
  const isEnding = before?.settings && typeof settings !== "string" && endsSessions(before.settings, settings);
  return (
    <ChangeDialog
      title={isNew ? "Add a sign-in provider" : `Edit ${name}`}
      isOpen={provider !== undefined}
      onClose={onClose}
      change={change}
      what={isNew ? `add the provider ${name}` : `update the provider ${name}`}
      submit={isNew ? "Add provider" : "Save"}
      onSubmit={submit}
      isBlocked={name === "" || issuer === "" || draft.clientId === "" || typeof settings === "string"}
    >
      {isEnding && <Banner tone="warn">Who is admitted may differ, so this ends the sessions of {name}.</Banner>}
      <div className="grid grid-cols-2 gap-3 max-wide:grid-cols-1">
        <TextField label="Id" {...field("provider")} isDisabled={!isNew} hint="a-z, 0-9 and -." mono />
        <TextField label="Display name" {...field("displayName")} />
        <TextField label="Issuer" {...field("issuer")} isDisabled={!isNew} placeholder="https://accounts.example.com" className="col-span-full" mono />
        <TextField label="Client id" {...field("clientId")} mono />
        <TextField
          label="Client secret"
          type="password"
          {...field("clientSecret")}
          hint={before?.hasClientSecret ? "Empty: the current one stays." : "Empty: a public client with PKCE."}
          isDisabled={removesSecret}
        />
        {before?.hasClientSecret && <Checkbox isSelected={removesSecret} onChange={(isOn) => setDraft({ ...draft, removesSecret: isOn })}>Remove the client secret</Checkbox>}
      </div>
      {name && (
        <div className="flex flex-col gap-1">
          <span className="text-label font-medium text-dim">Redirect URI to register at the provider</span>
          <Command>{`${location.origin}/auth/callback/${me?.account ?? "default"}/${name}`}</Command>
        </div>
      )}
      <Select label="Admits" choices={admissions} value={draft.admission} onChange={(admission) => setDraft({ ...draft, admission })} />
      <TextField label="Roles of groups" {...field("groups")} rows={3} placeholder="platform-team=admin" hint="GROUP=ROLE,ROLE in each line." error={typeof settings === "string" ? settings : change.failure?.fields["settings.group_roles"]} mono />
      <TextField label="Allowed domains of verified emails" {...field("domains")} placeholder="example.com" hint="Empty for all." mono />
      <Disclosure title="Scopes, claims and CA" startsOpen={draft.scopes !== "" || draft.userClaim !== "" || draft.caCertificates !== ""}>
        <div className="grid grid-cols-3 gap-3 pt-2 max-wide:grid-cols-1">
          <TextField label="Scopes" {...field("scopes")} placeholder="profile email groups" mono />
          <TextField label="User claim" {...field("userClaim")} placeholder="verified email" mono />
          <TextField label="Groups claim" {...field("groupsClaim")} placeholder="groups" mono />
          <TextField label="CA certificates (PEM)" {...field("caCertificates")} rows={3} hint="Empty for those of the system." className="col-span-full" mono />
        </div>
      </Disclosure>
    </ChangeDialog>
  );
}

/** Fields of the contract whose names differ from those of the draft. */
const fieldNames: Partial<Record<TextKey, string>> = {
  displayName: "display_name",
  clientId: "client_id",
  clientSecret: "client_secret",
  userClaim: "user_claim",
  groupsClaim: "groups_claim",
  domains: "allowed_domains",
  groups: "group_roles",
  caCertificates: "ca_certificates",
};
