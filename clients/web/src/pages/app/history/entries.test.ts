import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { HealthStatus, OperationPhase } from "@contract/causeway/inventory/v1/application_pb";
import { AcceptedStateSchema, DeploymentRecordSchema } from "@contract/causeway/inventory/v1/application_service_pb";
import { expect, test } from "vitest";
import { entriesOf, marksOf, stateAt } from "./entries";

const state = (at: number, health: HealthStatus) => create(AcceptedStateSchema, { receivedAt: timestampFromMs(at), health });
const deployment = (at: number, revision: string) => create(DeploymentRecordSchema, { operation: { startedAt: timestampFromMs(at), revisions: [revision], phase: OperationPhase.SUCCEEDED } });
const states = [state(4_000, HealthStatus.HEALTHY), state(3_000, HealthStatus.DEGRADED), state(2_000, HealthStatus.DEGRADED), state(1_000, HealthStatus.HEALTHY)];

test("the timeline merges both by time and leaves out reports without a change", () => {
  const entries = entriesOf(states, [deployment(2_500, "b"), deployment(500, "a")]);
  expect(entries.map(({ kind, at }) => [kind, at])).toEqual([["state", 4_000], ["deployment", 2_500], ["state", 2_000], ["state", 1_000], ["deployment", 500]]);
});

test("a deployment of an earlier revision is a rollback, a repeated one is not", () => {
  const entries = entriesOf([], [deployment(4, "a"), deployment(3, "b"), deployment(2, "a"), deployment(1, "a")]);
  expect(entries.map((entry) => entry.kind === "deployment" && entry.isRollback)).toEqual([true, false, false, false]);
});

test("stateAt returns what was shown at a time", () => {
  expect(stateAt(states, 2_500)?.health).toBe(HealthStatus.DEGRADED);
  expect(stateAt(states, 999)).toBeUndefined();
});

test("marks are changes within the span, oldest first", () => {
  expect(marksOf(states, 1_500)).toEqual([
    { at: 2_000, isBad: true, isQuiet: false },
    { at: 4_000, isBad: false, isQuiet: false },
  ]);
});
