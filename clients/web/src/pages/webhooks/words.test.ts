import { create } from "@bufbuild/protobuf";
import { DeliveryOutcomeSchema, DeliveryState, WebhookDeliverySchema, WebhookProvider } from "@contract/causeway/webhook/v1/webhook_service_pb";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { deliveryStates, referenceText, senders, worstOutcome } from "./words";

const outcome = (state: DeliveryState) => create(DeliveryOutcomeSchema, { state });
const delivery = (references: { name: string; before?: string; after?: string }[], pullRequest = 0n) => create(WebhookDeliverySchema, { references, pullRequest });

it("uses the words of the command line, and knows all senders", () => {
  const cli = readFileSync("../cli/src/webhook.rs", "utf8");
  for (const { key } of deliveryStates) expect(cli).toContain(`=> "${key}"`);
  expect(deliveryStates.map(({ value }) => value)).toEqual(Object.values(DeliveryState).filter((value) => typeof value === "number" && value > 0));
  expect(Object.keys(senders)).toHaveLength(Object.values(WebhookProvider).filter((value) => typeof value === "number").length);
});

it("shows the worst outcome of a delivery", () => {
  const { PENDING, DONE, DEAD, UNSPECIFIED } = DeliveryState;
  expect(worstOutcome([DONE, DEAD, PENDING].map(outcome))).toBe(DEAD);
  expect(worstOutcome([DONE, PENDING].map(outcome))).toBe(PENDING);
  expect(worstOutcome([outcome(DONE)])).toBe(DONE);
  expect(worstOutcome([])).toBe(UNSPECIFIED);
});

it("writes what a delivery is about", () => {
  expect(referenceText(delivery([{ name: "refs/heads/main", before: "a", after: "b" }]))).toBe("main");
  expect(referenceText(delivery([{ name: "refs/tags/v1", after: "b" }, { name: "refs/heads/x", before: "a" }]))).toBe("v1 new and 1 more");
  expect(referenceText(delivery([{ name: "refs/heads/x", before: "a" }]))).toBe("x deleted");
  expect(referenceText(delivery([], 7n))).toBe("pull request 7");
});
