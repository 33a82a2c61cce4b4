import type { CreateJoinTokenResponse } from "@contract/causeway/platform/v1/runtime_service_pb";
import { RuntimeService } from "@contract/causeway/platform/v1/runtime_service_pb";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useChange, useGuard } from "@/admin";
import { useRuntimes } from "@/data/reads/platform";
import { FailureBanner } from "@/failure";
import type { Search } from "@/search";
import { Page } from "@/shell";
import { Disclosure, GuardedButton, RadioGroup, TextField } from "@/ui";
import { SameCommand } from "@/admin";
import { initialInstallation, installCommand, nameError, type Installation } from "./installation";
import { JoinProgress } from "./JoinProgress";
import { OpenTokens } from "./OpenTokens";

interface Issued {
  installation: Installation;
  response: CreateJoinTokenResponse;
}

const crumbs = [{ text: "Join a runtime" }];

/** Joins a runtime: its name, how it is installed, the command, and the steps until the first application. */
export default function JoinPage() {
  const [issued, setIssued] = useState<Issued>();
  return (
    <Page title="Join a runtime" crumbs={crumbs}>
      <div className="flex max-w-[880px] flex-col gap-8">
        {issued ? (
          <JoinProgress installation={issued.installation} token={issued.response.token} expiresAt={issued.response.expiresAt} onAgain={() => setIssued(undefined)} />
        ) : (
          <Form onIssued={(installation, response) => setIssued({ installation, response })} />
        )}
        <OpenTokens />
      </div>
    </Page>
  );
}

/** The choices are in the URL, so that a link or a reload keeps them; the token is not. */
function useInstallation(): [Installation, (change: Partial<Installation>) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const installation: Installation = {
    name: search["name"] ?? "",
    namespace: search["namespace"] ?? initialInstallation.namespace,
    platform: search["platform"] ?? location.origin,
    argocd: search["argocd"] === "new" ? "new" : "existing",
    argocdNamespace: search["argocd-namespace"] ?? "",
    proxy: search["proxy"] ?? "",
    caSecret: search["ca"] ?? "",
    chart: search["chart"] ?? initialInstallation.chart,
  };
  const set = (change: Partial<Installation>) => {
    const { argocdNamespace, caSecret, ...rest } = change;
    const named = { ...rest, ...(argocdNamespace === undefined ? {} : { "argocd-namespace": argocdNamespace }), ...(caSecret === undefined ? {} : { ca: caSecret }) };
    void navigate({ to: ".", search: (before: Search) => ({ ...before, ...named }), replace: true });
  };
  return [installation, set];
}

function Form({ onIssued }: { onIssued: (installation: Installation, response: CreateJoinTokenResponse) => void }) {
  const [installation, set] = useInstallation();
  const { runtimes } = useRuntimes();
  const reason = useGuard()("runtime.create");
  const change = useChange(RuntimeService.method.createJoinToken, {
    scope: installation.name,
    onDone: (response) => onIssued(installation, response),
  });
  const { name, namespace, platform, argocd, argocdNamespace, proxy, caSecret, chart } = installation;
  const taken = runtimes?.filter((runtime) => !runtime.revokedAt).map((runtime) => runtime.name) ?? [];
  const wrong = nameError(name, taken) ?? change.failure?.fields["runtime"];
  const isReady = name !== "" && !wrong && platform !== "" && namespace !== "";
  return (
    <form
      className="flex flex-col gap-6"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !reason && !change.isPending) change.run({ runtime: name });
      }}
    >
      {change.failure && <FailureBanner error={change.failure} what={`create a join token for ${name}`} onRetry={change.again} />}
      <FormPart number={1} title="Name">
        <TextField label="Name of the runtime" value={name} onChange={(text) => set({ name: text })} error={wrong} hint="Such as prod-eu. It is part of every link and cannot change." autoFocus autoComplete="off" className="max-w-80" />
      </FormPart>
      <FormPart number={2} title="How">
        <RadioGroup
          label="Argo CD"
          value={argocd}
          onChange={(key) => set({ argocd: key })}
          choices={[
            { key: "existing", text: "Beside an existing Argo CD", note: "nothing in it changes" },
            { key: "new", text: "With a new Argo CD", note: "in the namespace of the runtime" },
          ]}
        />
        <div className="grid grid-cols-2 gap-4 max-wide:grid-cols-1">
          <TextField label="Namespace of the runtime" value={namespace} onChange={(text) => set({ namespace: text })} mono />
          {argocd === "existing" && <TextField label="Namespace of Argo CD" value={argocdNamespace} onChange={(text) => set({ argocdNamespace: text })} hint="Empty: Helm finds it by its labels." mono />}
        </div>
        <Disclosure title="Proxy, private CA, other address" startsOpen={proxy !== "" || caSecret !== ""}>
          <div className="grid grid-cols-2 gap-4 pt-2 max-wide:grid-cols-1">
            <TextField label="HTTP proxy out of the cluster" value={proxy} onChange={(text) => set({ proxy: text })} placeholder="http://proxy.example.com:3128" mono />
            <TextField label="Secret with CA certificates" value={caSecret} onChange={(text) => set({ caSecret: text })} hint="In the namespace of the runtime, under ca.crt." mono />
            <TextField label="Address of this platform from there" value={platform} onChange={(text) => set({ platform: text })} mono />
            <TextField label="Chart" value={chart} onChange={(text) => set({ chart: text })} hint="A folder, an archive, or oci://REGISTRY/causeway-runtime." mono />
          </div>
        </Disclosure>
      </FormPart>
      <FormPart number={3} title="Command">
        <p className="m-0 text-dim">The command carries a join token: valid once, for 15 minutes. Nothing connects into the cluster.</p>
        <div>
          <GuardedButton type="submit" tone="accent" reason={reason} isDisabled={!isReady || change.isPending}>
            Create the command
          </GuardedButton>
        </div>
        <SameCommand>{installCommand(installation)}</SameCommand>
      </FormPart>
    </form>
  );
}

export function FormPart({ number, title, children }: { number: number; title: string; children: React.ReactNode }) {
  return (
    <section className="grid grid-cols-[28px_1fr] gap-x-3">
      <span aria-hidden className="numbers flex size-7 items-center justify-center rounded-chip border border-edge text-label font-semibold text-dim">{number}</span>
      <div className="flex min-w-0 flex-col gap-4">
        <h2 className="text-h2 leading-7! font-semibold">{title}</h2>
        {children}
      </div>
    </section>
  );
}
