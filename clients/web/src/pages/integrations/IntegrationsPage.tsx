import type { Integration } from "@contract/causeway/git/v1/integration_service_pb";
import { useParams, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Loaded } from "@/admin";
import { useRuntime } from "@/data";
import { Time } from "@/format";
import { factsOf, hasPullRequests, useGitReason, useIntegrations } from "@/git";
import { Page } from "@/shell";
import { Command, EmptyState, ExternalLink, GuardedButton, Link, Table, type Column } from "@/ui";
import { CreateDialog } from "./CreateDialog";
import { DeleteDialog } from "./DeleteDialog";
import { TestDialog } from "./TestDialog";

/** The Git hosts that a runtime can write to, each with a credential that only it can open. */
export default function IntegrationsPage() {
  const { name = "" } = useParams({ strict: false }) as { name?: string };
  const { repository } = useSearch({ strict: false }) as { repository?: string };
  const [isCreating, setCreating] = useState(repository !== undefined);
  const [deleted, setDeleted] = useState<Integration>();
  const [tested, setTested] = useState<Integration>();
  const reason = useGitReason(name);
  const runtime = useRuntime(name).data?.runtime;
  const read = useIntegrations(name);
  const columns = columnsOf(name, { test: reason("integration.test"), delete: reason("integration.delete") }, setTested, setDeleted);
  const create = (
    <GuardedButton tone="accent" icon={<Plus size={14} aria-hidden />} reason={reason("integration.create")} onPress={() => setCreating(true)}>
      Create an integration…
    </GuardedButton>
  );
  const crumbs = [{ text: name, to: `/runtimes/${encodeURIComponent(name)}` }, { text: "Integrations" }];
  return (
    <Page title={`Git integrations of ${name}`} crumbs={crumbs} actions={read.integrations?.length ? create : undefined}>
      <Loaded read={{ ...read, data: read.integrations }} what={`list integrations of ${name}`} rows={3}>
        {(integrations) =>
          integrations.length === 0 ? (
            <EmptyState title="No Git integration" action={<Beginning command={`causeway integration create NAME --runtime ${name} --provider github --url URL --token-file -`}>{create}</Beginning>}>
              An integration lets users change repositories of a Git host from here: a value, an image or a file becomes a commit. Only {name} can open its credential.
            </EmptyState>
          ) : (
            <div className="flex flex-col gap-3">
              <p className="m-0 text-dim">Users change repositories with them. Which repositories, branches and paths they may write is a rule of {name} itself.</p>
              <Table label="Git integrations" columns={columns} rows={integrations} rowKey={(each) => each.name} />
            </div>
          )
        }
      </Loaded>
      {runtime && <CreateDialog runtime={runtime} integrations={read.integrations ?? []} isOpen={isCreating} repository={repository} onClose={() => setCreating(false)} />}
      {tested && <TestDialog runtime={name} integration={tested} onClose={() => setTested(undefined)} />}
      <DeleteDialog runtime={name} integration={deleted} onClose={() => setDeleted(undefined)} />
    </Page>
  );
}

function Beginning({ command, children }: { command: string; children: ReactNode }) {
  return (
    <div className="flex max-w-full min-w-0 flex-col items-center gap-3">
      {children}
      <Command>{command}</Command>
    </div>
  );
}

type Act = (integration: Integration) => void;

function columnsOf(runtime: string, reasons: { test: string | undefined; delete: string | undefined }, onTest: Act, onDelete: Act): readonly Column<Integration>[] {
  return [
    { id: "name", title: "Integration", isHeader: true, cell: ({ name }) => name },
    { id: "provider", title: "Host", cell: ({ provider }) => factsOf(provider)?.name ?? "–" },
    { id: "url", title: "Repositories under", cell: ({ url }) => <ExternalLink href={url} className="font-mono text-label break-all">{url}</ExternalLink> },
    { id: "pulls", title: "Pull requests", cell: ({ name, provider }) => (hasPullRequests(provider) ? <Link to="/runtimes/$name/integrations/$integration" params={{ name: runtime, integration: name }}>pull requests</Link> : <span className="text-dim">none</span>) },
    { id: "by", title: "Created by", isSecondary: true, cell: ({ createdBy }) => createdBy || "–" },
    { id: "created", title: "Created", align: "right", cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      id: "actions",
      title: "",
      align: "right",
      cell: (integration) => (
        <span className="inline-flex">
          <GuardedButton tone="quiet" aria-label={`Test ${integration.name}`} reason={reasons.test} onPress={() => onTest(integration)}>Test</GuardedButton>
          <GuardedButton tone="quiet" aria-label={`Delete ${integration.name}`} reason={reasons.delete} onPress={() => onDelete(integration)}>Delete…</GuardedButton>
        </span>
      ),
    },
  ];
}
