import { readFileSync } from "node:fs";
import { Provider } from "@contract/causeway/git/v1/integration_service_pb";
import { MergeMethod, MergeOutcome, Mergeability, PullRequestState } from "@contract/causeway/git/v1/pull_request_service_pb";
import { expect, it } from "vitest";
import { hasPullRequests, mergeabilityText, pullRequestState } from "./pullRequests";
import { mergeMethods, mergeText } from "./useMerge";

const cli = readFileSync("../cli/src/git/pull_request.rs", "utf8");
const valuesOf = (values: Record<string, string | number>) => Object.values(values).filter((value): value is number => typeof value === "number" && value > 0);

it("uses the words of the command line", () => {
  for (const state of valuesOf(PullRequestState)) expect(cli).toContain(`=> "${pullRequestState(state).word}"`);
  for (const mergeability of [Mergeability.MERGEABLE, Mergeability.CONFLICTING, Mergeability.UNKNOWN]) expect(cli).toContain(`=> "${mergeabilityText({ mergeability, blockedReason: "" })}"`);
  expect(mergeabilityText({ mergeability: Mergeability.BLOCKED, blockedReason: "needs 2 approvals" })).toBe("blocked: needs 2 approvals");
});

it("offers all ways to merge, and says how each attempt ended", () => {
  expect(mergeMethods.map(({ value }) => value)).toEqual(valuesOf(MergeMethod));
  const texts = valuesOf(MergeOutcome).map((outcome) => mergeText({ outcome, reason: "" } as Parameters<typeof mergeText>[0]));
  expect(new Set(texts).size).toBe(texts.length);
});

it("knows that plain Git has none", () => {
  expect(valuesOf(Provider).filter((provider) => !hasPullRequests(provider))).toEqual([Provider.GIT]);
  expect(hasPullRequests(undefined)).toBe(false);
});
