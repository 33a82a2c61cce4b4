import { IntegrationService, type Integration, type TestIntegrationResponse } from "@contract/causeway/git/v1/integration_service_pb";
import type { ReactNode } from "react";
import { Loaded, SameCommand } from "@/admin";
import { useRead } from "@/data";
import { formatCount, Time } from "@/format";
import { StateMark } from "@/state";
import { Banner, Button, Chip, Dialog } from "@/ui";

export interface TestDialogProps {
  runtime: string;
  integration: Integration;
  onClose: () => void;
}

/** What the host says of a credential; nothing is written there. */
export function TestDialog({ runtime, integration: { name }, onClose }: TestDialogProps) {
  const read = useRead(IntegrationService.method.testIntegration, { runtime, name });
  const again = <Button isDisabled={read.isFetching} onPress={() => void read.refetch()}>{read.isFetching ? "Testing…" : "Test again"}</Button>;
  return (
    <Dialog title={`Test of ${name}`} isOpen onClose={onClose} actions={<>{again}<Button tone="accent" onPress={onClose}>Close</Button></>}>
      <div className="flex flex-col gap-4">
        <Loaded read={read} what={`test ${name}`} rows={4}>{(found) => <Found found={found} />}</Loaded>
        <SameCommand>{`causeway integration test ${name} --runtime ${runtime}`}</SameCommand>
      </div>
    </Dialog>
  );
}

function Found({ found: { works, user, scopes, rateLimit, problems, capabilities } }: { found: TestIntegrationResponse }) {
  const abilities = capabilities
    ? [
        [capabilities.pullRequests, "pull requests"],
        [capabilities.autoMerge, "merges by itself"],
        [capabilities.commitStatuses, "commit statuses"],
        [capabilities.webhooks, "webhooks"],
      ].flatMap(([has, text]) => (has ? [String(text)] : []))
    : [];
  return (
    <>
      <div role="status"><StateMark state={works ? "healthy" : "degraded"}>{works ? "It works" : "It does not work"}</StateMark></div>
      {problems.map(({ message }) => <Banner key={message} tone={works ? "info" : "bad"}>{message}</Banner>)}
      <dl className="m-0 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-6">
        <Fact name="Account">{user || <span className="text-dim">the host does not say</span>}</Fact>
        {scopes.length > 0 && <Fact name="Scopes"><Chips texts={scopes} /></Fact>}
        {rateLimit?.remaining !== undefined && (
          <Fact name="Requests left">
            {formatCount(rateLimit.remaining)}{rateLimit.limit !== undefined && ` of ${formatCount(rateLimit.limit)}`}{rateLimit.resetsAt && <>, anew <Time at={rateLimit.resetsAt} /></>}
          </Fact>
        )}
        <Fact name="The host has">{abilities.length > 0 ? <Chips texts={abilities} /> : <span className="text-dim">only Git</span>}</Fact>
      </dl>
    </>
  );
}

function Chips({ texts }: { texts: readonly string[] }) {
  return <span className="flex flex-wrap gap-1">{texts.map((text) => <Chip key={text}>{text}</Chip>)}</span>;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="col-span-2 grid min-h-8 grid-cols-subgrid items-center border-b border-line">
      <dt className="text-dim">{name}</dt>
      <dd className="m-0 min-w-0 break-words">{children}</dd>
    </div>
  );
}
