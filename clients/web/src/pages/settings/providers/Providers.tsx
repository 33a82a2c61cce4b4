import { IdentityProviderService, type IdentityProvider } from "@contract/causeway/platform/v1/identity_provider_service_pb";
import { SessionService } from "@contract/causeway/platform/v1/session_service_pb";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ConfirmDialog, Loaded, useChange, useGuard } from "@/admin";
import { useIdentityProviders } from "@/data/reads/platform";
import { plural, Time } from "@/format";
import { Command, EmptyState, ExternalLink, GuardedButton, Link, Table, type Column } from "@/ui";
import { admissions } from "./draft";
import { ProviderEditor } from "./ProviderEditor";

/** OpenID Connect providers by which users sign in. */
export default function Providers() {
  const read = useIdentityProviders();
  const guard = useGuard();
  const [edited, setEdited] = useState<IdentityProvider | "new">();
  const [deleted, setDeleted] = useState<IdentityProvider>();
  const columns: readonly Column<IdentityProvider>[] = [
    { id: "name", title: "Provider", isHeader: true, cell: ({ provider, settings }) => <>{settings?.displayName || provider} <span className="text-label font-normal text-dim">{provider}</span></> },
    { id: "issuer", title: "Issuer", cell: ({ issuer }) => <ExternalLink href={issuer}>{issuer}</ExternalLink> },
    { id: "admits", title: "Admits", cell: ({ settings }) => <Admits settings={settings} /> },
    { id: "secret", title: "Client", isSecondary: true, cell: ({ hasClientSecret }) => (hasClientSecret ? "with a secret" : "public, PKCE") },
    { id: "created", title: "Created", align: "right", isSecondary: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      id: "actions",
      title: "",
      align: "right",
      cell: (provider) => (
        <span className="inline-flex">
          <GuardedButton tone="quiet" reason={guard("identity-provider.update")} onPress={() => setEdited(provider)}>Edit…</GuardedButton>
          <GuardedButton tone="quiet" reason={guard("identity-provider.delete")} onPress={() => setDeleted(provider)}>Delete…</GuardedButton>
        </span>
      ),
    },
  ];
  const create = (
    <GuardedButton tone="accent" icon={<Plus size={14} aria-hidden />} reason={guard("identity-provider.create")} onPress={() => setEdited("new")}>
      Add a provider
    </GuardedButton>
  );
  return (
    <Loaded read={{ ...read, data: read.data?.providers }} what="list sign-in providers" rows={3}>
      {(providers) => (
        <>
          {providers.length === 0 ? (
            <EmptyState title="No sign-in provider" action={<>{create}<Command>causeway sign-in-provider create NAME --issuer URL</Command></>}>
              With an OpenID Connect provider users sign in with the account that they have. Until then they sign in with API keys.
            </EmptyState>
          ) : (
            <>
              <div className="mb-3 flex flex-wrap items-center gap-3">
                <span className="grow text-dim">
                  {plural(providers.length, "provider")}. Identities are linked to users under <Link to="/people" className="underline">People</Link>.
                </span>
                {create}
              </div>
              <Table label="Sign-in providers" columns={columns} rows={providers} rowKey={({ provider }) => provider} />
            </>
          )}
          <ProviderEditor provider={edited} onClose={() => setEdited(undefined)} />
          <DeleteProvider provider={deleted} onClose={() => setDeleted(undefined)} />
        </>
      )}
    </Loaded>
  );
}

function Admits({ settings }: { settings: IdentityProvider["settings"] }) {
  const admission = admissions.find(({ value }) => value === settings?.admission) ?? admissions[0];
  const groups = settings?.groupRoles.length ?? 0;
  return (
    <span className="flex flex-col py-1">
      {admission.text}
      <span className="text-label text-dim">
        {plural(groups, "mapped group")}{settings?.allowedDomains.length ? `; ${settings.allowedDomains.join(", ")}` : ""}
      </span>
    </span>
  );
}

function DeleteProvider({ provider, onClose }: { provider: IdentityProvider | undefined; onClose: () => void }) {
  const change = useChange(IdentityProviderService.method.deleteIdentityProvider, { affects: [SessionService], onDone: onClose });
  const name = provider?.provider ?? "";
  return (
    <ConfirmDialog title={`Delete ${name}`} isOpen={provider !== undefined} onClose={onClose} change={change} onConfirm={() => change.run({ provider: name })} typedName={name} command={`causeway sign-in-provider delete ${name}`}>
      <p className="m-0">All its sessions end and all its identities are unlinked. Users without another way to sign in are locked out.</p>
    </ConfirmDialog>
  );
}
