import type { TrustRule } from "@contract/causeway/platform/v1/service_account_service_pb";
import { expect, it } from "vitest";
import { emptyTrust, parseTrust, trustDraftOf, trustSentence, trustText } from "./trust";

const draft = { ...emptyTrust("https://p.example"), claims: "repository=acme/shop environment=production" };

it("reads, writes and says whose tokens are accepted", () => {
  const rule = parseTrust(draft) as TrustRule;
  expect(trustSentence(rule)).toBe("accepts tokens of GitHub Actions for https://p.example with repository acme/shop and environment production");
  expect(trustText(rule)).toBe(
    "issuer=https://token.actions.githubusercontent.com audience=https://p.example claim:repository=acme/shop claim:environment=production",
  );
  expect(parseTrust(trustDraftOf(rule))).toEqual(rule);
});

it("refuses a rule that does not restrict the owner of the token", () => {
  expect(parseTrust({ ...draft, claims: "" })).toContain("Restrict the owner");
  expect(parseTrust({ ...draft, claims: "repository" })).toContain("NAME=PATTERN");
  expect(parseTrust({ ...draft, issuer: "github" })).toContain("URL");
});
