import { WebhookService, type WebhookDelivery } from "@contract/causeway/webhook/v1/webhook_service_pb";
import { useParams, useSearch } from "@tanstack/react-router";
import { Loaded } from "@/admin";
import { usePages, useRead } from "@/data";
import { FailureBanner, FailureState } from "@/failure";
import { Time } from "@/format";
import { useGitReason } from "@/git";
import type { Search } from "@/search";
import { Page, useDrawer } from "@/shell";
import { StateMark } from "@/state";
import { BareLink, Button, Chip, ChoiceBar, EmptyState, SkeletonRows, Table, type Column } from "@/ui";
import { DeliveryDrawer } from "./DeliveryDrawer";
import { Routes } from "./Routes";
import { deliveryState, deliveryStates, referenceText, shortRepository, worstOutcome, type DeliveryKey } from "./words";
import { useSetSearch } from "./useSetSearch";

/** What Git hosts sent to a runtime, and what became of it. */
export default function WebhooksPage() {
  const { name = "" } = useParams({ strict: false }) as { name?: string };
  const { target, open } = useDrawer();
  const reason = useGitReason(name);
  const routes = useRead(WebhookService.method.listWebhookRoutes, { runtime: name });
  const crumbs = [{ text: name, to: `/runtimes/${encodeURIComponent(name)}` }, { text: "Webhooks" }];
  return (
    <Page title={`Webhooks of ${name}`} crumbs={crumbs} drawer={(number, close) => <DeliveryDrawer runtime={name} number={number} reason={reason("webhook.replay")} onClose={close} />}>
      <Loaded read={{ ...routes, data: routes.data?.routes }} what={`list webhook routes of ${name}`} rows={2}>
        {(found) => (
          <div className="flex flex-col gap-6">
            <Routes runtime={name} routes={found} reason={reason("webhook.test")} />
            {found.length > 0 && <Deliveries runtime={name} selected={target} onOpen={open} />}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

interface DeliveriesProps {
  runtime: string;
  selected: string | undefined;
  onOpen: (number: string) => void;
}

function Deliveries({ runtime, selected, onOpen }: DeliveriesProps) {
  const search = useSearch({ strict: false }) as Search;
  const set = useSetSearch();
  const route = search["route"] ?? "";
  const state = deliveryStates.find(({ key }) => key === search["state"]);
  const read = usePages(WebhookService.method.listWebhookDeliveries, { runtime, route, ...(state ? { state: state.value } : {}) }, { keepsPrevious: true, interval: 10_000 });
  const deliveries = read.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const retry = () => void read.refetch();
  const isFiltered = route !== "" || state !== undefined;
  return (
    <section aria-label="Deliveries" className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="m-0 text-h2 font-semibold">Deliveries</h2>
        <ChoiceBar<DeliveryKey | "all">
          label="State"
          choices={[{ key: "all", text: "All" }, ...deliveryStates.map(({ key }) => ({ key, text: key }))]}
          value={state?.key ?? "all"}
          onChange={(key) => set({ state: key === "all" ? undefined : key })}
        />
        {route && <Chip onRemove={() => set({ route: undefined })} removeLabel="Remove the filter by route">route: {route}</Chip>}
      </div>
      {read.error && deliveries.length > 0 && <FailureBanner error={read.error} what="list deliveries" onRetry={retry} />}
      {read.error && deliveries.length === 0 && <FailureState error={read.error} what="list deliveries" onRetry={retry} />}
      {read.isPending && <SkeletonRows count={4} />}
      {read.data && deliveries.length === 0 && (
        <EmptyState title={isFiltered ? "No delivery matches" : "No delivery yet"} {...(isFiltered ? { action: <Button onPress={() => set({ state: undefined, route: undefined })}>Clear the filter</Button> } : {})}>
          Each webhook whose signature is right is kept here with what became of it. Send a sample by the test of its route.
        </EmptyState>
      )}
      {deliveries.length > 0 && (
        <Table
          label="Deliveries"
          columns={columns}
          rows={deliveries}
          rowKey={({ number }) => String(number)}
          isSelected={({ number }) => String(number) === selected}
          onOpen={({ number }) => onOpen(String(number))}
        />
      )}
      {read.hasNextPage && (
        <Button className="self-center" isDisabled={read.isFetchingNextPage} onPress={() => void read.fetchNextPage()}>
          {read.isFetchingNextPage ? "Loading…" : "Show earlier ones"}
        </Button>
      )}
    </section>
  );
}

const columns: readonly Column<WebhookDelivery>[] = [
  { id: "event", title: "Event", isHeader: true, cell: (delivery) => <OpenLink delivery={delivery} /> },
  { id: "state", title: "State", cell: ({ outcomes }) => <Outcome outcomes={outcomes} /> },
  { id: "route", title: "Route", cell: ({ route }) => route },
  { id: "repository", title: "Repository", cell: ({ repositories }) => <span className="break-all">{shortRepository(repositories[0] ?? "–")}</span> },
  { id: "reference", title: "Reference", cell: (delivery) => referenceText(delivery) || "–" },
  { id: "again", title: "Sent again", align: "right", isSecondary: true, cell: ({ redeliveries }) => (redeliveries === 0 ? "–" : String(redeliveries)) },
  { id: "at", title: "Received", align: "right", cell: ({ receivedAt }) => <Time at={receivedAt} /> },
];

function OpenLink({ delivery: { number, event } }: { delivery: WebhookDelivery }) {
  return (
    <BareLink to="." search={(search: Search) => ({ ...search, drawer: String(number) })} className="rounded-control hover:underline">
      {event || "unknown"} <span className="numbers text-label font-normal text-dim">{String(number)}</span>
    </BareLink>
  );
}

function Outcome({ outcomes }: Pick<WebhookDelivery, "outcomes">) {
  const { word, state } = deliveryState(worstOutcome(outcomes));
  return <StateMark state={state}>{word}</StateMark>;
}
