import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ApplicationActionService, SyncApplicationRequestSchema, type SyncApplicationRequest } from "@contract/causeway/proxy/v1/application_action_service_pb";
import { ErrorInfoSchema } from "@contract/google/rpc/error_details_pb";
import { send } from "./actions";
import { again, runBatch, type Outcome } from "./batch";
import { setTransport } from "./transport";
import { unfinished, withRequestId } from "./unfinished";

const method = ApplicationActionService.method.syncApplication;
const refused = new ConnectError("no session", Code.FailedPrecondition, undefined, [
  { desc: ErrorInfoSchema, value: { domain: "causeway", reason: "RUNTIME_NOT_CONNECTED" } },
]);

/** Answers syncs in memory. */
function serve(sync: (request: SyncApplicationRequest) => Promise<object> | object) {
  setTransport(createRouterTransport(({ service }) => service(ApplicationActionService, { syncApplication: sync })));
}

const requestFor = (name: string) => withRequestId(method.input, create(SyncApplicationRequestSchema, { runtime: "local", name }));

beforeEach(() => sessionStorage.clear());
afterEach(() => setTransport(undefined));

it("keeps a request whose outcome is unknown with its id, and drops it when its end is known", async () => {
  const seen: string[] = [];
  serve((request) => {
    seen.push(request.requestId);
    if (seen.length === 1) throw new ConnectError("connection lost", Code.Unavailable);
    return {};
  });
  const first = await send(method, requestFor("checkout"), "checkout");
  expect(first.kind).toBe("unknown");
  const kept = unfinished(method, "checkout");
  expect(kept?.requestId).toBe(seen[0]);
  expect((await send(method, kept ?? requestFor("other"), "checkout")).kind).toBe("accepted");
  expect(seen[1]).toBe(seen[0]);
  expect(unfinished(method, "checkout")).toBeUndefined();
});

it("tells a refusal by its reason and keeps nothing", async () => {
  serve(() => {
    throw refused;
  });
  const end = await send(method, requestFor("checkout"), "checkout");
  expect(end.kind === "refused" && end.problem.reason).toBe("RUNTIME_NOT_CONNECTED");
  expect(unfinished(method, "checkout")).toBeUndefined();
});

it("sends eight calls of a batch at once, and again only those that failed", async () => {
  let [open, most] = [0, 0];
  const sent: string[] = [];
  serve(async ({ name }) => {
    sent.push(name);
    most = Math.max(most, ++open);
    await Promise.resolve();
    open--;
    if (Number(name) % 10 === 3 && sent.length <= 40) throw refused;
    return {};
  });
  const outcomes: Outcome<typeof method.input>[] = Array.from({ length: 40 }, (_, index) => {
    const request = requestFor(String(index));
    return { key: String(index), request, state: "waiting", requestId: request.requestId };
  });
  await runBatch(method, outcomes, () => {}, () => false);
  expect(most).toBe(8);
  expect(outcomes.filter(({ state }) => state === "refused").map(({ key }) => key)).toEqual(["3", "13", "23", "33"]);
  const next = outcomes.map((outcome) => (outcome.state === "refused" ? { ...outcome, state: "waiting" as const } : outcome));
  await runBatch(method, next, () => {}, () => false);
  expect(sent.slice(40).sort()).toEqual(["13", "23", "3", "33"]);
  expect(next.every(({ state }) => state === "accepted")).toBe(true);
});

it("asks again with the same id where the outcome is unknown, and with a new one where it failed", () => {
  const request = requestFor("checkout");
  const outcome = (state: Outcome<typeof method.input>["state"]) => ({ key: "checkout", request, state, requestId: request.requestId });
  expect(again(method, outcome("unknown"), false).requestId).toBe(request.requestId);
  expect(again(method, outcome("accepted"), false)).toEqual(outcome("accepted"));
  for (const next of [again(method, outcome("refused"), false), again(method, outcome("accepted"), true)]) {
    expect(next.state).toBe("waiting");
    expect(next.requestId).not.toBe(request.requestId);
    expect(next.request).toMatchObject({ name: "checkout", requestId: next.requestId });
  }
});

it("sends nothing after a batch was cancelled", async () => {
  let sent = 0;
  serve(() => (sent++, {}));
  const outcomes: Outcome<typeof method.input>[] = Array.from({ length: 20 }, (_, index) => {
    const request = requestFor(String(index));
    return { key: String(index), request, state: "waiting", requestId: request.requestId };
  });
  await runBatch(method, outcomes, () => {}, () => sent > 0);
  expect(sent).toBeLessThanOrEqual(8);
  expect(outcomes.filter(({ state }) => state === "cancelled")).toHaveLength(20 - sent);
});
