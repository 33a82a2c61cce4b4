import { create } from "@bufbuild/protobuf";
import { ResourceSchema, SyncStatus } from "@contract/causeway/inventory/v1/application_pb";
import { expect, test } from "vitest";
import { buttonText, extentOf, planOf } from "./plan";

const base = { kind: "ConfigMap", namespace: "shop" };
const plan = planOf([
  create(ResourceSchema, { ...base, name: "same", sync: SyncStatus.SYNCED }),
  create(ResourceSchema, { ...base, name: "differs", sync: SyncStatus.OUT_OF_SYNC }),
  create(ResourceSchema, { ...base, name: "gone", sync: SyncStatus.OUT_OF_SYNC, requiresPruning: true }),
  create(ResourceSchema, { ...base, name: "pod" }),
  create(ResourceSchema, { ...base, name: "hook", sync: SyncStatus.SYNCED, hook: true }),
]);
const all = new Set(plan.map(({ key }) => key));

test("the plan leads with what is deleted, then what differs, and leaves out what Git never had", () => {
  expect(plan.map(({ resource }) => resource.name)).toEqual(["gone", "differs", "same"]);
});

test("the button counts what differs and what is deleted", () => {
  expect(buttonText(extentOf(plan, all, true))).toBe("Sync 1 resource, delete 1");
  expect(buttonText(extentOf(plan, all, false))).toBe("Sync 1 resource");
  expect(buttonText(extentOf(plan, new Set(["ConfigMap/shop/gone"]), true))).toBe("Delete 1 resource");
});

test("without a difference the button counts all that is chosen", () => {
  expect(extentOf(plan, new Set(["ConfigMap/shop/same"]), true)).toEqual({ synced: 1, deleted: 0, isWhole: false });
  expect(extentOf(plan, all, true).isWhole).toBe(true);
});
