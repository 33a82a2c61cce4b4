import { clone, create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, createClient, type Transport } from "@connectrpc/connect";
import { Reason } from "./gen/causeway/error/v1/reason_pb.js";
import type { Application } from "./gen/causeway/inventory/v1/application_pb.js";
import {
  type ApplicationDeleted,
  ApplicationService,
  ListApplicationsRequestSchema,
  type WatchApplicationsRequest,
  WatchApplicationsRequestSchema,
  type WatchApplicationsResponse,
  WatchApplicationsResponseSchema,
} from "./gen/causeway/inventory/v1/application_service_pb.js";
import { isTransient, problemOf } from "./problem.js";

const FIRST_DELAY_MS = 200;
const MOST_DELAY_MS = 10_000;

/** The applications of all pages. `platform` is a transport, such as `connect` of `./node` gives. */
export async function* listApplications(
  platform: Transport,
  request: MessageInitShape<typeof ListApplicationsRequestSchema> = {},
): AsyncGenerator<Application> {
  const inventory = createClient(ApplicationService, platform);
  const asked = clone(ListApplicationsRequestSchema, create(ListApplicationsRequestSchema, request));
  do {
    const page = await inventory.listApplications(asked);
    yield* page.applications;
    asked.pageToken = page.nextPageToken;
  } while (asked.pageToken !== "");
}

/**
 * All applications that match, then each change of them, over lost connections and without a gap: what went away while nobody was
 * connected, and is not told any more, is given as deleted. Throws the error that no waiting mends. Events are updated and deleted,
 * and a bookmark when all that there was has been given. `platform` is a transport; `signal` ends it.
 */
export async function* watchApplications(
  platform: Transport,
  request: MessageInitShape<typeof WatchApplicationsRequestSchema> = {},
  signal?: AbortSignal,
): AsyncGenerator<WatchApplicationsResponse> {
  const inventory = createClient(ApplicationService, platform);
  const asked = clone(WatchApplicationsRequestSchema, create(WatchApplicationsRequestSchema, request));
  const held = new Map<string, Held>();
  let [delay, connected] = [FIRST_DELAY_MS, false];
  const options = signal ? { signal } : {};
  for (;;) {
    if (asked.cursor === "") {
      held.forEach((each) => (each.told = false));
    }
    try {
      for await (const response of inventory.watchApplications(asked, options)) {
        [delay, connected] = [FIRST_DELAY_MS, true];
        asked.cursor = response.cursor;
        yield* told(response, held);
      }
    } catch (error) {
      if (signal?.aborted || !goesOn(error, asked, connected)) {
        throw error;
      }
    }
    await pause(Math.random() * delay, signal);
    delay = Math.min(2 * delay, MOST_DELAY_MS);
  }
}

/** An application that was given and is not gone, and whether it was told since the beginning. */
interface Held {
  key: Key;
  told: boolean;
}

type Key = Pick<ApplicationDeleted, "runtime" | "cluster" | "namespace" | "name">;

/** Whether a watch that was cut can be taken up again; sets where. */
function goesOn(error: unknown, asked: WatchApplicationsRequest, connected: boolean): boolean {
  const problem = problemOf(error);
  if (problem.reason === Reason.CURSOR_EXPIRED && asked.cursor !== "") {
    asked.cursor = "";
    return true;
  }
  // A connection that is lost is told as canceled here, though nobody canceled anything.
  const over: Code[] = [Code.DeadlineExceeded, Code.Canceled];
  return connected && (isTransient(problem) || over.includes(problem.code));
}

/** A response, and before the end of a beginning what was not told again since. */
function* told(response: WatchApplicationsResponse, held: Map<string, Held>): Generator<WatchApplicationsResponse> {
  const { event, cursor } = response;
  if (event.case === "updated") {
    const { runtime, cluster, namespace, name } = event.value;
    held.set(text(event.value), { key: { runtime, cluster, namespace, name }, told: true });
  } else if (event.case === "deleted") {
    held.delete(text(event.value));
  } else if (event.case === "bookmark" && event.value.initialStateSent) {
    for (const [name, each] of held) {
      if (!each.told) {
        held.delete(name);
        yield create(WatchApplicationsResponseSchema, { event: { case: "deleted", value: each.key }, cursor });
      }
    }
  }
  yield response;
}

function text({ runtime, cluster, namespace, name }: Key): string {
  return JSON.stringify([runtime, cluster, namespace, name]);
}

/** Waits; throws the reason of the signal when it ends the wait. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
