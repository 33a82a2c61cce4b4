import { WebhookService, type DeliveryOutcome, type WebhookDelivery } from "@contract/causeway/webhook/v1/webhook_service_pb";
import { RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { Loaded, SameCommand, useChange } from "@/admin";
import { useRead } from "@/data";
import { FailureBanner, isOutcomeUnknown } from "@/failure";
import { formatBytes, Revision, Time } from "@/format";
import { StateMark } from "@/state";
import { CopyButton, Drawer, ExternalLink, GuardedButton } from "@/ui";
import { plainText } from "../app/logs/ring";
import { deliveryState, senders } from "./words";

export interface DeliveryDrawerProps {
  runtime: string;
  number: string;
  /** Why it may not be replayed. */
  reason: string | undefined;
  onClose: () => void;
}

/** One webhook: what it is about, what became of it, and its headers. */
export function DeliveryDrawer({ runtime, number, reason, onClose }: DeliveryDrawerProps) {
  const read = useRead(WebhookService.method.getWebhookDelivery, { runtime, number }, { interval: 10_000 });
  const change = useChange(WebhookService.method.replayWebhookDelivery, { scope: `${runtime}/${number}` });
  const replay = (
    <GuardedButton icon={<RotateCw size={14} aria-hidden />} reason={reason} isDisabled={change.isPending} onPress={() => change.run({ runtime, number })}>
      Replay
    </GuardedButton>
  );
  return (
    <Drawer title={`Delivery ${number}`} label={`Delivery ${number}`} onClose={onClose} actions={replay}>
      <Loaded read={{ ...read, data: read.data?.delivery }} what={`show delivery ${number}`}>
        {(delivery) => (
          <div className="flex flex-col gap-4">
            {change.failure && <FailureBanner error={change.failure} what={`replay delivery ${number}`} {...(isOutcomeUnknown(change.failure) ? { onRetry: change.again } : {})} />}
            <Facts delivery={delivery} />
            <Outcomes outcomes={delivery.outcomes} />
            <References delivery={delivery} />
            <Headers delivery={delivery} />
            <Body delivery={delivery} />
            <SameCommand>{`causeway webhook replay ${number} --runtime ${runtime}`}</SameCommand>
          </div>
        )}
      </Loaded>
    </Drawer>
  );
}

function Facts({ delivery }: { delivery: WebhookDelivery }) {
  const { event, route, provider, deliveryId, receivedAt, bodyBytes, redeliveries, repositories } = delivery;
  return (
    <dl className="m-0 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-6">
      <Fact name="Event">{event || "unknown"}</Fact>
      <Fact name="Route">{route} <span className="text-dim">{senders[provider]}</span></Fact>
      <Fact name="Received"><Time at={receivedAt} inSentence />{redeliveries > 0 && `, sent ${redeliveries + 1} times`}</Fact>
      {repositories.map((url) => <Fact key={url} name="Repository"><ExternalLink href={url} className="break-all">{url}</ExternalLink></Fact>)}
      {delivery.pullRequest > 0n && <Fact name="Pull request">{String(delivery.pullRequest)}</Fact>}
      <Fact name="Body">{formatBytes(Number(bodyBytes))}</Fact>
      <Fact name="Id of the sender"><code className="font-mono text-label break-all">{deliveryId}</code> <CopyButton text={deliveryId} what="delivery id" /></Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="col-span-2 grid min-h-8 grid-cols-subgrid items-center border-b border-line">
      <dt className="text-dim">{name}</dt>
      <dd className="m-0 min-w-0 break-words">{children}</dd>
    </div>
  );
}

function Outcomes({ outcomes }: { outcomes: readonly DeliveryOutcome[] }) {
  return (
    <Part title="What became of it">
      <ul className="m-0 list-none rounded-card border border-line p-0">
        {outcomes.map(({ subscriber, state, tries, detail, changedAt }) => (
          <li key={subscriber} className="flex flex-col gap-0.5 border-b border-line px-3 py-1.5 last:border-b-0">
            <span className="flex flex-wrap items-center gap-x-3">
              <StateMark state={deliveryState(state).state}>{deliveryState(state).word}</StateMark>
              <span className="grow font-medium">{subscriber}</span>
              {tries > 0 && <span className="numbers text-label text-dim">{tries} failed tries</span>}
              <Time at={changedAt} className="text-label text-dim" />
            </span>
            {detail && <span className="text-label break-words text-dim">{detail}</span>}
          </li>
        ))}
      </ul>
    </Part>
  );
}

function References({ delivery: { references } }: { delivery: WebhookDelivery }) {
  if (references.length === 0) return null;
  return (
    <Part title="References">
      <ul className="m-0 list-none p-0">
        {references.map(({ name, before, after }) => (
          <li key={name} className="flex flex-wrap items-center gap-2 py-0.5">
            <code className="font-mono text-label break-all">{name}</code>
            {before ? <Revision>{before}</Revision> : <span className="text-dim">new</span>}
            <span aria-label="to" className="text-dim">→</span>
            {after ? <Revision>{after}</Revision> : <span className="text-dim">deleted</span>}
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** The values are bytes of a sender, shown as text; credentials are left out by the runtime. */
function Headers({ delivery: { headers } }: { delivery: WebhookDelivery }) {
  if (headers.length === 0) return null;
  const decoder = new TextDecoder();
  return (
    <Part title="Headers">
      <dl className="m-0 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-0.5 font-mono text-label max-wide:grid-cols-1">
        {headers.map(({ name, value }, index) => (
          <div key={index} className="col-span-2 grid grid-cols-subgrid max-wide:col-span-1">
            <dt className="text-dim">{name}</dt>
            <dd className="m-0 break-all">{plainText(decoder.decode(value))}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

/** The beginning of the body as it came, which is text of a sender. */
function Body({ delivery: { body, bodyBytes } }: { delivery: WebhookDelivery }) {
  if (body.length === 0) return null;
  const text = plainText(new TextDecoder().decode(body));
  return (
    <Part title="Body">
      <pre tabIndex={0} aria-label="Body" className="m-0 max-h-96 overflow-auto rounded-control border border-line bg-panel p-3 font-mono text-label break-all whitespace-pre-wrap">{text}</pre>
      {bodyBytes > body.length && <p className="m-0 text-label text-dim">The first {formatBytes(body.length)} of {formatBytes(bodyBytes)}.</p>}
    </Part>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mt-0 mb-1 text-body font-semibold">{title}</h3>
      {children}
    </section>
  );
}
