import { IntegrationService, type Integration } from "@contract/causeway/git/v1/integration_service_pb";
import type { Runtime } from "@contract/causeway/platform/v1/runtime_service_pb";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ChangeDialog, useChange } from "@/admin";
import { keyId, providers, sealCredential } from "@/git";
import { notify } from "@/shell";
import { Banner, RadioGroup, Select, TextField, type Choice } from "@/ui";
import { commandOf, credentialOf, draftFor, factsFor, hasSecret, problemsOf, providerOf, urlOf, withoutSecret, type IntegrationDraft } from "./draft";

export interface CreateDialogProps {
  runtime: Runtime;
  integrations: readonly Integration[];
  isOpen: boolean;
  /** A repository that it is wanted for. */
  repository?: string | undefined;
  onClose: () => void;
}

const choices: readonly Choice[] = providers.map(({ word, name }) => ({ key: word, text: name }));

/** Makes an integration; its credential is sealed here, so that only the runtime can open it. */
export function CreateDialog({ runtime, integrations, isOpen, repository, onClose }: CreateDialogProps) {
  const [draft, setDraft] = useState(() => draftFor(providerOf(repository ?? "https://github.com")));
  const [sealFailure, setSealFailure] = useState("");
  const key = useSealingKey(runtime);
  const change = useChange(IntegrationService.method.createIntegration, {
    onDone: ({ integration }) => {
      notify({ text: `Created the integration ${integration?.name ?? ""}.`, state: "healthy" });
      close();
    },
  });
  const set = (part: Partial<IntegrationDraft>) => setDraft({ ...draft, ...part });
  const close = () => {
    setDraft(draftFor(providerOf(repository ?? "https://github.com")));
    setSealFailure("");
    onClose();
  };
  const facts = factsFor(draft.provider);
  const wrong = problemsOf(draft, integrations);
  const send = async () => {
    const { name, provider } = draft;
    const url = urlOf(draft);
    try {
      const credential = await sealCredential({ runtime, name, provider, url }, credentialOf(draft));
      setSealFailure("");
      change.run({ runtime: runtime.name, name, provider, url, credential });
    } catch {
      setSealFailure("The browser cannot seal to the key of this runtime, so nothing was sent. Open Causeway over https, or use the command.");
    }
    setDraft(withoutSecret(draft));
  };
  const typedAgain = change.failure && !hasSecret(draft) ? "It was sent sealed and forgotten here. Type it again to send anew." : undefined;
  return (
    <ChangeDialog
      title={`Create an integration of ${runtime.name}`}
      isOpen={isOpen}
      onClose={close}
      change={change}
      what={`create the integration ${draft.name}`}
      submit="Create integration"
      onSubmit={() => void send()}
      isBlocked={draft.name === "" || urlOf(draft) === "" || !hasSecret(draft) || Object.keys(wrong).length > 0 || runtime.sealingKey.length === 0}
      command={commandOf(runtime.name, draft, key)}
    >
      {runtime.sealingKey.length === 0 && <Banner tone="warn">The platform does not tell the sealing key of {runtime.name}, so nothing can be sealed to it. Update the runtime.</Banner>}
      {sealFailure && <Banner tone="bad">{sealFailure}</Banner>}
      <div className="grid grid-cols-2 gap-3 max-wide:grid-cols-1">
        <Select label="Kind of host" choices={choices} value={facts.word} onChange={(word) => setDraft(draftFor(providers.find((each) => each.word === word)?.provider ?? draft.provider, draft))} />
        <TextField label="Name" value={draft.name} onChange={(name) => set({ name })} error={wrong.name ?? change.failure?.fields["name"]} autoComplete="off" mono />
      </div>
      <TextField
        label="URL"
        value={draft.url}
        onChange={(url) => set({ url })}
        error={wrong.url ?? change.failure?.fields["url"]}
        placeholder={facts.example}
        hint={`Repositories must lie under it, for example ${facts.example}. The narrower, the safer.`}
        autoComplete="off"
        mono
      />
      <RadioGroup
        label="Credential"
        choices={[{ key: "token", text: "Token or password" }, { key: "ssh", text: "SSH key" }]}
        value={draft.kind}
        onChange={(kind) => set({ kind })}
        orientation="horizontal"
        hint={draft.kind === "token" ? facts.token : facts.ssh}
      />
      {wrong.kind && <Banner tone="warn">{wrong.kind}</Banner>}
      {draft.kind === "token" ? (
        <div className="grid grid-cols-2 gap-3 max-wide:grid-cols-1">
          <TextField label="User name" value={draft.user} onChange={(user) => set({ user })} hint={facts.userHint} autoComplete="off" mono />
          <TextField label="Token or password" type="password" value={draft.password} onChange={(password) => set({ password })} error={typedAgain} autoComplete="new-password" />
        </div>
      ) : (
        <>
          <TextField label="Private key" value={draft.privateKey} onChange={(privateKey) => set({ privateKey })} error={typedAgain} rows={4} hint="In the OpenSSH format, without a passphrase." placeholder="-----BEGIN OPENSSH PRIVATE KEY-----" autoComplete="off" spellCheck="false" mono />
          <TextField label="Accepted host keys" value={draft.knownHosts} onChange={(knownHosts) => set({ knownHosts })} rows={3} hint="As ssh-keyscan prints them. Compare their fingerprints with those that the host publishes." autoComplete="off" spellCheck="false" mono />
        </>
      )}
      <SealedTo runtime={runtime.name} id={key} />
    </ChangeDialog>
  );
}

function SealedTo({ runtime, id }: { runtime: string; id: string }) {
  return (
    <p className="m-0 text-label text-dim">
      The browser seals the credential to the key <code className="font-mono break-all text-text">{id || "…"}</code> of {runtime}. The platform passes it on and cannot open it. Its admin can compare
      the id, which <code className="font-mono">causeway runtime get {runtime}</code> shows.
    </p>
  );
}

/** The id of the runtime's sealing key; empty while it is computed, and where the browser cannot. */
function useSealingKey({ name, sealingKey }: Runtime): string {
  const read = useQuery({ queryKey: ["sealing-key", name, sealingKey.join()], queryFn: () => keyId(sealingKey), staleTime: Infinity, retry: false, enabled: sealingKey.length > 0 });
  return read.data ?? "";
}
