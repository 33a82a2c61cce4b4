import { IdentityProviderService, type Identity } from "@contract/causeway/platform/v1/identity_provider_service_pb";
import { useState } from "react";
import { Loaded, useChange, useGuard } from "@/admin";
import { useAllPages } from "@/data/queries";
import { useIdentityProviders } from "@/data/reads/platform";
import { FailureBanner } from "@/failure";
import { Time } from "@/format";
import { Dialog, GuardedButton, Link, Select, Table, TextField, type Column } from "@/ui";

export interface IdentitiesDialogProps {
  user: string | undefined;
  onClose: () => void;
}

/** The identities of providers that sign in as a user. */
export function IdentitiesDialog({ user, onClose }: IdentitiesDialogProps) {
  return (
    <Dialog title={`Identities of ${user ?? ""}`} isOpen={user !== undefined} onClose={onClose}>
      {user !== undefined && <Content user={user} />}
    </Dialog>
  );
}

function Content({ user }: { user: string }) {
  const read = useAllPages(IdentityProviderService.method.listIdentities, { user });
  const guard = useGuard();
  const unlink = useChange(IdentityProviderService.method.unlinkIdentity);
  const columns: readonly Column<Identity>[] = [
    { id: "provider", title: "Provider", isHeader: true, cell: (identity) => identity.provider },
    { id: "name", title: "Identity", cell: ({ name, subject }) => name || subject },
    { id: "bound", title: "Bound", cell: ({ subject }) => (subject ? "yes" : <span className="text-warn">at first sign-in</span>), isSecondary: true },
    { id: "at", title: "Linked", align: "right", cell: ({ linkedAt }) => <Time at={linkedAt} /> },
    { id: "unlink", title: "", align: "right", cell: ({ provider }) => <GuardedButton tone="quiet" reason={guard("identity.unlink")} isDisabled={unlink.isPending} onPress={() => unlink.run({ user, provider })}>Unlink</GuardedButton> },
  ];
  return (
    <div className="flex flex-col gap-4">
      {unlink.failure && <FailureBanner error={unlink.failure} what={`unlink an identity of ${user}`} onRetry={unlink.again} />}
      <Loaded read={read} what={`list identities of ${user}`} rows={2}>
        {(pages) => {
          const identities = pages.flatMap((page) => page.identities);
          if (identities.length === 0) return <p className="m-0 text-dim">No identity of a provider signs in as {user}.</p>;
          return <Table label={`Identities of ${user}`} columns={columns} rows={identities} rowKey={(identity) => `${identity.provider}/${identity.subject}/${identity.name}`} />;
        }}
      </Loaded>
      <LinkForm user={user} />
    </div>
  );
}

function LinkForm({ user }: { user: string }) {
  const { data } = useIdentityProviders();
  const guard = useGuard();
  const [provider, setProvider] = useState<string>();
  const [name, setName] = useState("");
  const link = useChange(IdentityProviderService.method.linkIdentity, { onDone: () => setName("") });
  const providers = data?.providers ?? [];
  const chosen = provider ?? providers[0]?.provider;
  if (data && providers.length === 0) {
    return <p className="m-0 text-dim">The account has no identity provider. <Link to="/settings" search={{ tab: "providers" }} className="underline">Add one</Link></p>;
  }
  return (
    <form
      className="flex flex-col gap-3 border-t border-line pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen && name) link.run({ user, provider: chosen, name });
      }}
    >
      {link.failure && <FailureBanner error={link.failure} what="link the identity" onRetry={link.again} />}
      <div className="grid grid-cols-[160px_1fr_auto] items-end gap-3 max-wide:grid-cols-1">
        <Select label="Provider" choices={providers.map((it) => ({ key: it.provider, text: it.settings?.displayName || it.provider }))} value={chosen ?? null} onChange={setProvider} />
        <TextField label="Name of the identity" placeholder="ada@example.com" value={name} onChange={setName} error={link.failure?.fields["name"]} />
        <GuardedButton type="submit" tone="accent" reason={guard("identity.link")} isDisabled={!chosen || name === "" || link.isPending}>Link</GuardedButton>
      </div>
      <p className="m-0 text-label text-dim">The first identity with this name that signs in within 14 days is bound. It gets all roles of {user}.</p>
    </form>
  );
}
