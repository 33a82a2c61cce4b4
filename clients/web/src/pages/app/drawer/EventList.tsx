import type { Resource } from "@contract/causeway/inventory/v1/application_pb";
import { useEvents } from "@/data";
import { FailureState } from "@/failure";
import { Name, Time } from "@/format";
import { StateShape } from "@/state";
import { useDrawer } from "@/shell";
import { Button, EmptyState, SkeletonRows } from "@/ui";
import { useApp } from "../context";
import { resourceKey } from "../model/resource";

/** Events change by themselves, so they are read again. */
const INTERVAL = 10_000;

/** The Kubernetes events of one resource, or of all of the application, newest first. */
export function EventList({ resource }: { resource?: Resource }) {
  const { key, resources } = useApp();
  const { runtime, name, namespace } = key;
  const request = resource
    ? { runtime, name: resource.name, namespace: resource.namespace, kind: resource.kind }
    : { runtime, application: name, applicationNamespace: namespace };
  const read = useEvents(request, { interval: INTERVAL });
  const drawer = useDrawer();
  if (read.error) return <FailureState error={read.error} what="list events" onRetry={() => void read.refetch()} />;
  if (!read.data) return <SkeletonRows count={5} />;
  const events = read.data.pages.flatMap((page) => page.events);
  if (events.length === 0) return <EmptyState title="No events">Kubernetes keeps events for about an hour; nothing was reported in this time.</EmptyState>;
  return (
    <div className="flex min-h-0 flex-col overflow-y-auto">
      <ul>
        {events.map(({ event }, index) => {
          const regarding = event?.regarding;
          const target = regarding && resources.find((each) => each.kind === regarding.kind && each.name === regarding.name);
          const warning = event?.type === "Warning";
          return (
            <li key={`${regarding?.uid}${event?.reason}${index}`} className="flex gap-2 border-b border-line py-1.5">
              <StateShape state={warning ? "degraded" : "synced"} className="mt-1" />
              <div className="min-w-0 grow">
                <div className="flex min-w-0 flex-wrap items-center gap-x-2">
                  <span className="font-medium">{event?.reason}</span>
                  <span className="sr-only">{event?.type}</span>
                  {!resource && regarding && (
                    target ? (
                      <Button tone="quiet" className="h-5! px-1! font-normal!" onPress={() => drawer.open(resourceKey(target))}>{regarding.kind} <Name>{regarding.name}</Name></Button>
                    ) : (
                      <span className="text-dim">{regarding.kind} {regarding.name}</span>
                    )
                  )}
                  {(event?.count ?? 0) > 1 && <span className="numbers text-label text-dim">{event?.count} times</span>}
                </div>
                <p className="break-words text-dim">{event?.message}</p>
              </div>
              <Time at={event?.lastSeen} className="numbers shrink-0 text-label text-dim" />
            </li>
          );
        })}
      </ul>
      {read.hasNextPage && <Button tone="quiet" className="my-2 self-center" onPress={() => void read.fetchNextPage()} isDisabled={read.isFetchingNextPage}>Older events</Button>}
    </div>
  );
}
