import { ApiKeyService, type ApiKey } from "@contract/causeway/platform/v1/api_key_service_pb";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ConfirmDialog, Loaded, SecretOnce, useChange, useGuard } from "@/admin";
import { useApiKeys, useWhoAmI } from "@/data/reads/platform";
import { now, plural, Time, toMillis } from "@/format";
import type { Search } from "@/search";
import { StateMark } from "@/state";
import { Chip, CopyButton, EmptyState, GuardedButton, Switch, Table, type Column } from "@/ui";
import { Toolbar, useFilter } from "../Toolbar";
import { CreateKeyDialog } from "./CreateKeyDialog";
import { RotateKeyDialog } from "./RotateKeyDialog";

/** A key whose secret has just been returned. */
interface Issued {
  key: ApiKey | undefined;
  secret: string;
}

/** API keys: credentials of programs and of the command line. */
export default function ApiKeys() {
  const read = useApiKeys();
  const guard = useGuard();
  const { ended } = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const [q] = useFilter();
  const [isCreating, setCreating] = useState(false);
  const [rotated, setRotated] = useState<ApiKey>();
  const [revoked, setRevoked] = useState<ApiKey>();
  const [issued, setIssued] = useState<Issued>();
  const columns = useColumns(setRotated, setRevoked);
  return (
    <Loaded read={{ ...read, data: read.apiKeys }} what="list API keys">
      {(keys) => {
        const current = keys.filter((key) => ended === "show" || stateOf(key) === "active");
        const shown = current.filter((key) => `${key.keyId} ${key.displayName} ${key.subject} ${key.role}`.toLowerCase().includes(q.toLowerCase()));
        return (
          <>
            <Toolbar label="Filter keys" count={plural(shown.length, "key")}>
              <Switch isSelected={ended === "show"} onChange={(isOn) => void navigate({ to: ".", search: (before: Search) => ({ ...before, ended: isOn ? "show" : undefined }), replace: true })}>
                Ended ones, too
              </Switch>
              <GuardedButton tone="accent" icon={<Plus size={14} aria-hidden />} reason={guard("api-key.create")} onPress={() => setCreating(true)}>
                Create a key
              </GuardedButton>
            </Toolbar>
            {shown.length === 0 ? <EmptyState title={q ? `No key matches ${q}` : "No active key"} /> : <Table label="API keys" columns={columns} rows={shown} rowKey={(key) => key.keyId} />}
            <CreateKeyDialog isOpen={isCreating} onClose={() => setCreating(false)} onIssued={(key, secret) => setIssued({ key, secret })} />
            <RotateKeyDialog apiKey={rotated} onClose={() => setRotated(undefined)} onIssued={(key, secret) => setIssued({ key, secret })} />
            <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />
            <SecretOnce title={`Secret of ${issued?.key?.displayName ?? "the key"}`} secret={issued?.secret} onClose={() => setIssued(undefined)}>
              Store it in a file that only its program reads, and pass it with <code className="font-mono">--api-key-file</code>.
            </SecretOnce>
          </>
        );
      }}
    </Loaded>
  );
}

type KeyState = "active" | "revoked" | "expired";

function stateOf({ revokedAt, expiresAt }: ApiKey): KeyState {
  if (revokedAt) return "revoked";
  return expiresAt && (toMillis(expiresAt) ?? 0) < now() ? "expired" : "active";
}

function useColumns(onRotate: (key: ApiKey) => void, onRevoke: (key: ApiKey) => void): readonly Column<ApiKey>[] {
  const guard = useGuard();
  const { data: me } = useWhoAmI();
  return [
    { id: "name", title: "Key", isHeader: true, cell: (key) => <KeyName apiKey={key} isCurrent={me?.credential === `key:${key.keyId}`} /> },
    { id: "owner", title: "Owner", cell: ({ subject }) => subject.replace(/^user:/, "") },
    { id: "role", title: "Limited to", isSecondary: true, cell: ({ role }) => (role ? <Chip>{role}</Chip> : <span className="text-dim">no limit</span>) },
    { id: "state", title: "State", cell: (key) => <KeyState apiKey={key} /> },
    { id: "expires", title: "Expires", align: "right", isSecondary: true, cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} /> : <span className="text-warn">never</span>) },
    { id: "used", title: "Last used", align: "right", cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : <span className="text-dim">never</span>) },
    {
      id: "actions",
      title: "",
      align: "right",
      cell: (key) => {
        const over = stateOf(key) === "active" ? undefined : `This key is ${stateOf(key)}.`;
        const isOwn = key.subject === `user:${me?.user}`;
        return (
          <span className="inline-flex">
            <GuardedButton tone="quiet" reason={over ?? guard("api-key.rotate")} onPress={() => onRotate(key)}>Rotate…</GuardedButton>
            <GuardedButton tone="quiet" reason={over ?? (isOwn ? undefined : guard("api-key.revoke"))} onPress={() => onRevoke(key)}>Revoke…</GuardedButton>
          </span>
        );
      },
    },
  ];
}

function KeyName({ apiKey: { displayName, keyId }, isCurrent }: { apiKey: ApiKey; isCurrent: boolean }) {
  return (
    <span className="flex min-w-0 flex-col py-1">
      <span className="flex items-center gap-2 truncate">{displayName} {isCurrent && <Chip tone="accent">this session</Chip>}</span>
      <span className="flex items-center text-label font-normal text-dim max-wide:hidden"><code className="font-mono">{keyId}</code><CopyButton text={keyId} what="key id" /></span>
    </span>
  );
}

function KeyState({ apiKey }: { apiKey: ApiKey }) {
  const { formerSecretEndsAt, revokedAt, expiresAt } = apiKey;
  const state = stateOf(apiKey);
  if (state === "revoked") return <StateMark state="refused">revoked <Time at={revokedAt} /></StateMark>;
  if (state === "expired") return <StateMark state="suspended">expired <Time at={expiresAt} /></StateMark>;
  const isRotating = formerSecretEndsAt && (toMillis(formerSecretEndsAt) ?? 0) > now();
  if (isRotating) return <StateMark state="waiting">old secret ends <Time at={formerSecretEndsAt} /></StateMark>;
  return <StateMark state="healthy">active</StateMark>;
}

function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const change = useChange(ApiKeyService.method.revokeApiKey, { onDone: onClose });
  const { displayName = "", keyId = "" } = apiKey ?? {};
  return (
    <ConfirmDialog title={`Revoke ${displayName}`} isOpen={apiKey !== undefined} onClose={onClose} change={change} onConfirm={() => change.run({ keyId })} typedName={displayName} command={`causeway api-key revoke ${keyId}`}>
      <p className="m-0">
        Every program that uses it is refused at once, open streams and browser sessions of it end. {apiKey?.lastUsedAt ? <>It was last used <Time at={apiKey.lastUsedAt} /> ago.</> : "It was never used."}
      </p>
    </ConfirmDialog>
  );
}
