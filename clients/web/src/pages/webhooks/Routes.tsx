import { WebhookService, type WebhookRoute } from "@contract/causeway/webhook/v1/webhook_service_pb";
import { useState } from "react";
import { useChange } from "@/admin";
import { FailureBanner, isOutcomeUnknown } from "@/failure";
import { formatBytes } from "@/format";
import { notify } from "@/shell";
import { Chip, Command, CopyButton, EmptyState, GuardedButton, Table, type Column } from "@/ui";
import { senders } from "./words";

export interface RoutesProps {
  runtime: string;
  routes: readonly WebhookRoute[];
  /** Why no sample may be sent. */
  reason: string | undefined;
}

/** Where Git hosts send to, and a sample for each. */
export function Routes({ runtime, routes, reason }: RoutesProps) {
  const [tested, setTested] = useState("");
  const change = useChange(WebhookService.method.testWebhookRoute, {
    scope: runtime,
    onDone: ({ delivery }) => notify({ text: `The sample of ${delivery?.route ?? "the route"} is delivery ${String(delivery?.number ?? "")}.`, state: "healthy" }, "sample"),
  });
  const test = (route: string) => {
    setTested(route);
    change.run({ runtime, route });
  };
  if (routes.length === 0) {
    return (
      <EmptyState title="No webhook route" action={<Command>--webhook-route github=github --webhook-secrets FOLDER</Command>}>
        A route is where a Git host sends its webhooks, so that a push is in Argo CD at once. Routes are flags of the event-source of {runtime}.
      </EmptyState>
    );
  }
  const columns: readonly Column<WebhookRoute>[] = [
    { id: "name", title: "Route", isHeader: true, cell: ({ name }) => name },
    { id: "provider", title: "Sender", cell: ({ provider }) => senders[provider] },
    { id: "path", title: "Address at the platform", cell: ({ platformPath }) => <Address path={platformPath} /> },
    { id: "own", title: "Path at the runtime", isSecondary: true, cell: ({ path }) => <code className="font-mono text-label break-all">{path}</code> },
    { id: "secrets", title: "Secret", cell: ({ rotating }) => (rotating ? <Chip tone="warn">rotating</Chip> : "one") },
    { id: "largest", title: "Largest body", align: "right", isSecondary: true, cell: ({ maxBytes }) => formatBytes(Number(maxBytes)) },
    { id: "test", title: "", align: "right", cell: ({ name }) => <GuardedButton tone="quiet" aria-label={`Test ${name}`} reason={reason} isDisabled={change.isPending} onPress={() => test(name)}>Test</GuardedButton> },
  ];
  return (
    <section aria-label="Routes" className="flex min-w-0 flex-col gap-2">
      <h2 className="m-0 text-h2 font-semibold">Routes</h2>
      {change.failure && <FailureBanner error={change.failure} what={`test ${tested}`} {...(isOutcomeUnknown(change.failure) ? { onRetry: change.again } : {})} />}
      <Table label="Webhook routes" columns={columns} rows={routes} rowKey={({ name }) => name} />
    </section>
  );
}

function Address({ path }: { path: string }) {
  if (path === "") return <span className="text-dim">only at the runtime</span>;
  const address = `${location.origin}${path}`;
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="font-mono text-label break-all">{address}</code>
      <CopyButton text={address} what="address" />
    </span>
  );
}
