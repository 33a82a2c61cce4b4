import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "@contract/google/rpc/error_details_pb";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { nextSteps, reasons } from "@/reasons";
import { failureOf, isOutcomeUnknown, isSignedOut } from "./failure";
import { canI } from "./NotAllowed";

it("reads reason, permission, request id and wrong fields of an error", () => {
  const info = { domain: "causeway", reason: "PERMISSION_DENIED", metadata: { permission: "application.sync", request_id: "r-1" } };
  const bad = { fieldViolations: [{ field: "name", description: "is empty" }] };
  const error = new ConnectError("no rule allows it", Code.PermissionDenied, undefined, [
    { desc: ErrorInfoSchema, value: create(ErrorInfoSchema, info) },
    { desc: BadRequestSchema, value: create(BadRequestSchema, bad) },
  ]);
  expect(failureOf(error)).toEqual({
    message: "no rule allows it",
    reason: "PERMISSION_DENIED",
    permission: "application.sync",
    requestId: "r-1",
    fields: { name: "is empty" },
  });
});

it("names the code where no reason is told, and takes its own failures as they are", () => {
  const failure = failureOf(new ConnectError("down", Code.DeadlineExceeded));
  expect(failure.reason).toBe("DEADLINE_EXCEEDED");
  expect(failureOf(failure)).toBe(failure);
});

it("tells unknown outcomes and ended sessions apart", () => {
  expect(isOutcomeUnknown({ message: "", reason: "OUTCOME_UNKNOWN", fields: {} })).toBe(true);
  expect(isSignedOut({ message: "", reason: "CREDENTIAL_EXPIRED", fields: {} })).toBe(true);
  expect(isSignedOut({ message: "", reason: "PERMISSION_DENIED", fields: {} })).toBe(false);
});

it("explains every reason of the contract in the words of the command line", () => {
  const cli = readFileSync("../cli/src/explain/reasons.rs", "utf8");
  const contract = readFileSync("../../proto/causeway/error/v1/reason.proto", "utf8");
  const names = [...contract.matchAll(/REASON_([A-Z_]+) = [1-9]/g)].map(([, name]) => name ?? "");
  expect(Object.keys(reasons).sort()).toEqual(names.sort());
  for (const means of Object.values(reasons)) expect(cli).toContain(`"${means}"`);
  for (const name of Object.keys(nextSteps)) expect(names).toContain(name);
});

it("writes the command that explains a permission", () => {
  expect(canI("application.sync", "web")).toBe("causeway can-i sync application/web");
});
