import { create } from "@bufbuild/protobuf";
import { RuleSchema, type Rule } from "@contract/causeway/platform/v1/role_service_pb";
import { expect, it } from "vitest";
import { draftOf, parseRule, ruleText } from "./draft";
import { emptyReason, ruleSentence } from "./sentence";

const read = (actions: string, entities: string, where = "") => parseRule({ actions, entities, where }) as Rule;

it("says what a rule allows and where", () => {
  expect(ruleSentence(read("sync", "application", "project=payments runtime=prod-*"))).toBe("may sync applications of project payments in prod-*");
  expect(ruleSentence(read("*", "*"))).toBe("may do everything");
  expect(ruleSentence(read("*", "rollout,workflow"))).toBe("may do everything with rollouts and workflows");
  expect(ruleSentence(read("get,list,watch", "*"))).toBe("may get, list and watch everything");
  expect(ruleSentence(read("set-roles", "user"))).toBe("may set the roles of users");
  expect(ruleSentence(read("get", "log,exec,audit"))).toBe("may get logs, shells in pods and the audit log");
});

it("joins patterns by or, since one must match, and labels by and, since all must", () => {
  const rule = read("sync", "application", "name=a,b project=shop,team-* label:tier=web label:env=prod namespace=x cluster=c1,c2");
  expect(ruleSentence(rule)).toBe(
    "may sync applications named a or b of projects shop or team-* with label tier=web and env=prod in namespace x of clusters c1 or c2",
  );
});

it("reads and writes the rules of the command line without a change", () => {
  const text = "get,sync application project=shop,team-* label:tier=web";
  const rule = read("get, sync", "application", "project=shop,team-* label:tier=web");
  expect(ruleText(rule)).toBe(text);
  expect(parseRule(draftOf(rule))).toEqual(rule);
  expect(rule).toEqual(
    create(RuleSchema, { actions: ["get", "sync"], entities: ["application"], selector: { projects: ["shop", "team-*"], labels: { tier: "web" } } }),
  );
});

it("names what is wrong with what was typed", () => {
  expect(parseRule({ actions: "", entities: "application", where: "" })).toContain("at least one action");
  expect(parseRule({ actions: "get", entities: " ", where: "" })).toContain("at least one entity");
  expect(parseRule({ actions: "get", entities: "application", where: "team=x" })).toContain("No field 'team'");
  expect(parseRule({ actions: "get", entities: "application", where: "project" })).toContain("FIELD=PATTERNS");
});

it("warns of rules that match nothing", () => {
  const permissions = ["application.sync", "user.list"];
  expect(emptyReason(read("sync", "user"), permissions)).toContain("No permission");
  expect(emptyReason(read("*", "application"), permissions)).toBeUndefined();
  expect(emptyReason(read("sync", "*", "product=x"), permissions)).toContain("no product");
});
