import { create } from "@bufbuild/protobuf";
import { ApplicationSchema, OperationPhase } from "@contract/causeway/inventory/v1/application_pb";
import { expect, it } from "vitest";
import { causesOf } from "./facts";

const failed = (dryRun: boolean) => create(ApplicationSchema, { status: { operation: { phase: OperationPhase.FAILED, message: "no such kind", dryRun } } });

it("names a failed sync as a cause, and no failed dry run", () => {
  expect(causesOf(failed(false)).map(({ text }) => text)).toEqual(["The last operation ended with Failed: no such kind"]);
  expect(causesOf(failed(true))).toEqual([]);
});
