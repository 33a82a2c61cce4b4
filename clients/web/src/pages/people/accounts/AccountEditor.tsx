import { ServiceAccountService, type ServiceAccount, type TrustRule } from "@contract/causeway/platform/v1/service_account_service_pb";
import { Plus, X } from "lucide-react";
import { useEffect, useState } from "react";
import { ChangeDialog, useChange } from "@/admin";
import { Button, IconButton, TextField } from "@/ui";
import { RolePicker } from "../RolePicker";
import { emptyTrust, parseTrust, trustDraftOf, trustSentence, trustText, type TrustDraft } from "./trust";

export interface AccountEditorProps {
  /** The service account to change, or "new"; undefined while closed. */
  account: ServiceAccount | "new" | undefined;
  onClose: () => void;
}

/** Creates a service account, or replaces its trust rules. */
export function AccountEditor({ account, onClose }: AccountEditorProps) {
  const [user, setUser] = useState("");
  const [roles, setRoles] = useState<string[]>([]);
  const [drafts, setDrafts] = useState<TrustDraft[]>([]);
  const isNew = account === "new";
  useEffect(() => {
    if (account === undefined) return;
    setUser(isNew ? "" : account.user);
    setRoles([]);
    setDrafts(isNew ? [emptyTrust(location.origin)] : account.trustRules.map(trustDraftOf));
  }, [account, isNew]);
  const creation = useChange(ServiceAccountService.method.createServiceAccount, { onDone: onClose });
  const update = useChange(ServiceAccountService.method.setTrustRules, { onDone: onClose });
  const change = isNew ? creation : update;
  const parsed = drafts.map(parseTrust);
  const trustRules = parsed.filter((rule): rule is TrustRule => typeof rule !== "string");
  const submit = () => (isNew ? creation.run({ user, roles, trustRules }) : update.run({ user, trustRules }));
  const command = [
    `causeway service-account ${isNew ? "create" : "set-trust"} ${user || "USER"}`,
    ...(isNew ? roles.map((role) => `--role ${role}`) : []),
    ...trustRules.map((rule) => `--trust '${trustText(rule)}'`),
  ].join(" ");
  return (
    <ChangeDialog
      title={isNew ? "Create a service account" : `Trust rules of ${user}`}
      isOpen={account !== undefined}
      onClose={onClose}
      change={change}
      what={isNew ? `create ${user}` : `set the trust rules of ${user}`}
      submit={isNew ? "Create" : "Replace trust rules"}
      onSubmit={submit}
      isBlocked={user === "" || drafts.length === 0 || trustRules.length < drafts.length}
      command={command}
      size="large"
    >
      {isNew ? (
        <>
          <TextField label="Service account" value={user} onChange={setUser} error={change.failure?.fields["user"]} hint="a-z, 0-9 and -." autoFocus autoComplete="off" mono />
          <RolePicker label="Roles" value={roles} onChange={setRoles} />
        </>
      ) : (
        <p className="m-0 text-dim">Replacing them ends the sessions of {user}.</p>
      )}
      <ol className="m-0 flex list-none flex-col gap-4 p-0">
        {drafts.map((draft, index) => (
          <TrustFields
            key={index}
            number={index + 1}
            draft={draft}
            parsed={parsed[index] ?? ""}
            onChange={(next) => setDrafts(drafts.map((other, at) => (at === index ? next : other)))}
            onRemove={() => setDrafts(drafts.filter((_, at) => at !== index))}
          />
        ))}
      </ol>
      <div><Button icon={<Plus size={14} aria-hidden />} onPress={() => setDrafts([...drafts, emptyTrust(location.origin)])}>Add a trust rule</Button></div>
    </ChangeDialog>
  );
}

interface TrustFieldsProps {
  number: number;
  draft: TrustDraft;
  parsed: TrustRule | string;
  onChange: (draft: TrustDraft) => void;
  onRemove: () => void;
}

function TrustFields({ number, draft, parsed, onChange, onRemove }: TrustFieldsProps) {
  const field = (key: keyof TrustDraft) => ({ value: draft[key], onChange: (text: string) => onChange({ ...draft, [key]: text }), mono: true, autoComplete: "off" });
  return (
    <li className="flex flex-col gap-2 border-l-2 border-edge pl-3">
      <div className="grid grid-cols-[1fr_1fr_auto] items-end gap-2 max-wide:grid-cols-1">
        <TextField label={`Rule ${number}: issuer`} {...field("issuer")} />
        <TextField label="Audience" {...field("audience")} />
        <IconButton label={`Remove rule ${number}`} onPress={onRemove}><X size={14} aria-hidden /></IconButton>
        <TextField label="Subject" placeholder="repo:acme/shop:ref:refs/heads/main" {...field("subject")} />
        <TextField label="Claims" placeholder="repository=acme/shop environment=production" {...field("claims")} />
      </div>
      <p aria-live="polite" className={typeof parsed === "string" ? "m-0 text-bad" : "m-0 text-ok"}>{typeof parsed === "string" ? parsed : trustSentence(parsed)}</p>
    </li>
  );
}
