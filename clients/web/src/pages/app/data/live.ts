import { create } from "@bufbuild/protobuf";
import { ApplicationService, ApplicationView, GetApplicationResponseSchema, type WatchApplicationsResponse } from "@contract/causeway/inventory/v1/application_service_pb";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type ApplicationKey, clientOf, readKey, toProblem, useApplication } from "@/data";

const FIRST_DELAY = 200;
const LONGEST_DELAY = 10_000;

/** One application as it is now: read once, then kept by a watch while the page is visible. */
export function useLiveApplication(key: ApplicationKey) {
  const client = useQueryClient();
  const read = useApplication(key);
  const [isDeleted, setDeleted] = useState(false);
  const { runtime, cluster, namespace, name } = key;
  useEffect(() => {
    setDeleted(false);
    return watchWhileVisible((signal) => watch({ runtime, cluster, namespace, name }, client, setDeleted, signal));
  }, [client, runtime, cluster, namespace, name]);
  return { ...read, isDeleted };
}

/** A hidden tab holds no stream: browsers allow six of them to one origin. */
function watchWhileVisible(run: (signal: AbortSignal) => Promise<void>): () => void {
  let controller: AbortController | undefined;
  const follow = () => {
    controller?.abort();
    controller = undefined;
    if (document.visibilityState !== "visible") return;
    controller = new AbortController();
    void run(controller.signal);
  };
  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    document.removeEventListener("visibilitychange", follow);
    controller?.abort();
  };
}

async function watch(key: ApplicationKey, client: QueryClient, setDeleted: (deleted: boolean) => void, signal: AbortSignal) {
  let cursor = "";
  let delay = FIRST_DELAY;
  while (!signal.aborted) {
    try {
      const stream = clientOf(ApplicationService).watchApplications({ filter: key, view: ApplicationView.FULL, cursor }, { signal });
      for await (const response of stream) {
        cursor = response.cursor || cursor;
        delay = FIRST_DELAY;
        apply(key, response, client, setDeleted);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isOutdated(error)) cursor = "";
    }
    await pause(delay * (0.75 + Math.random() / 2), signal);
    delay = Math.min(delay * 2, LONGEST_DELAY);
  }
}

function isOutdated(error: unknown): boolean {
  const { reason } = toProblem(error);
  return reason === "CURSOR_EXPIRED" || reason === "SCOPE_CHANGED";
}

function apply(key: ApplicationKey, { event }: WatchApplicationsResponse, client: QueryClient, setDeleted: (deleted: boolean) => void) {
  if (event.case === "deleted") setDeleted(true);
  if (event.case !== "updated" || event.value.name !== key.name) return;
  setDeleted(false);
  client.setQueryData(readKey(ApplicationService.method.getApplication, { ...key }), create(GetApplicationResponseSchema, { application: event.value }));
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
