import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ApiKeyService, type ApiKey } from "@contract/causeway/platform/v1/api_key_service_pb";
import { useEffect, useState } from "react";
import { ChangeDialog, useChange } from "@/admin";
import { useRoles, useUsers } from "@/data/reads/platform";
import { now } from "@/format";
import { Select, TextField } from "@/ui";

export interface CreateKeyDialogProps {
  isOpen: boolean;
  onClose: () => void;
  onIssued: (key: ApiKey | undefined, secret: string) => void;
}

const DAY = 86_400_000;

const lifetimes = [
  { key: "1d", text: "1 day" },
  { key: "30d", text: "30 days" },
  { key: "90d", text: "90 days" },
  { key: "365d", text: "1 year" },
  { key: "never", text: "Never" },
] as const;

type Lifetime = (typeof lifetimes)[number]["key"];

/** Creates a key that may be limited below its owner, and ends by itself. */
export function CreateKeyDialog({ isOpen, onClose, onIssued }: CreateKeyDialogProps) {
  const { roles } = useRoles();
  const { users } = useUsers();
  const [displayName, setDisplayName] = useState("");
  const [user, setUser] = useState("");
  const [role, setRole] = useState("");
  const [lifetime, setLifetime] = useState<Lifetime>("90d");
  const [openedAt, setOpenedAt] = useState(0);
  useEffect(() => {
    if (!isOpen) return;
    setDisplayName("");
    setUser("");
    setRole("");
    // Fixed at opening, so that a repeat after an unknown outcome is the same request.
    setOpenedAt(now());
  }, [isOpen]);
  const change = useChange(ApiKeyService.method.createApiKey, {
    onDone: ({ apiKey, secret }) => {
      onClose();
      onIssued(apiKey, secret);
    },
  });
  const submit = () =>
    change.run({ displayName, user, role, ...(lifetime === "never" ? {} : { expiresAt: timestampFromMs(openedAt + Number.parseInt(lifetime) * DAY) }) });
  const command = [
    `causeway api-key create ${displayName ? `'${displayName}'` : "NAME"}`,
    role && `--role ${role}`,
    user && `--user ${user}`,
    lifetime !== "never" && `--expires-in ${lifetime}`,
  ].filter(Boolean);
  return (
    <ChangeDialog title="Create an API key" isOpen={isOpen} onClose={onClose} change={change} what="create the key" submit="Create key" onSubmit={submit} isBlocked={displayName === ""} command={command.join(" ")}>
      <TextField label="Name" hint="The program that uses it." value={displayName} onChange={setDisplayName} error={change.failure?.fields["display_name"]} autoFocus autoComplete="off" />
      <div className="grid grid-cols-3 gap-3 max-wide:grid-cols-1">
        <Select label="Owner" choices={[{ key: "", text: "I" }, ...(users ?? []).map((it) => ({ key: it.user, text: it.user }))]} value={user} onChange={setUser} error={change.failure?.fields["user"]} />
        <Select label="Limited to the role" choices={[{ key: "", text: "No limit" }, ...(roles ?? []).map((it) => ({ key: it.name, text: it.name }))]} value={role} onChange={setRole} error={change.failure?.fields["role"]} />
        <Select label="Ends after" choices={lifetimes} value={lifetime} onChange={setLifetime} />
      </div>
      <p className="m-0 text-dim">
        {role ? `It may do what the role ${role} and its owner's roles both allow.` : "It may do all that its owner may."}
        {lifetime === "never" && " A key that never ends has to be revoked by hand."}
      </p>
    </ChangeDialog>
  );
}
