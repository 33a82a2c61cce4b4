import { expect, it } from "vitest";
import { Outcome } from "@contract/causeway/platform/v1/authorization_service_pb";
import { applicationOf, listCommand, requestOf } from "./filter";
import { methodName, methodPath, methodWords } from "./methods";

const now = Date.UTC(2026, 10, 28, 13, 0, 42);

it("reads filters from the URL, and names the method by its path", () => {
  const request = requestOf({ user: "ada", method: "SyncApplication", end: "failed", span: "1h", chain: "platform" }, now);
  expect(request).toMatchObject({
    subject: "user:ada",
    method: "/causeway.proxy.v1.ApplicationActionService/SyncApplication",
    outcome: Outcome.FAILED,
    denied: false,
    platform: true,
    since: { seconds: BigInt(Date.UTC(2026, 10, 28, 12) / 1000) },
  });
  expect(requestOf({ end: "denied", user: "runtime:x" }, now)).toMatchObject({ denied: true, outcome: Outcome.UNSPECIFIED, subject: "runtime:x" });
  expect(requestOf({ span: "all" }, now).since).toBeUndefined();
});

it("makes equal requests within a minute, so that a render reads nothing again", () => {
  expect(requestOf({}, now)).toEqual(requestOf({}, now + 10_000));
});

it("writes the command that lists the same", () => {
  expect(listCommand({ user: "ada", end: "denied", span: "24h" })).toBe("causeway audit list --user ada --since 24h --denied");
  expect(listCommand({ target: "a b'c", span: "all", chain: "platform" })).toBe(String.raw`causeway audit list --target 'a b'\''c' --platform`);
});

it("finds the application of a record", () => {
  expect(applicationOf({ runtime: "local", target: "applications/argocd/guestbook" })).toEqual({ runtime: "local", namespace: "argocd", name: "guestbook" });
  expect(applicationOf({ runtime: "", target: "roles/x" })).toBeUndefined();
});

it("names methods in words", () => {
  expect(methodWords("/causeway.proxy.v1.ApplicationActionService/SyncApplication")).toBe("Sync application");
  expect(methodWords("/x/CreateApiKey")).toBe("Create API key");
  expect(methodName(methodPath("RevokeRuntime"))).toBe("RevokeRuntime");
});
