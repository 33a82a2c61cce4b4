// @vitest-environment node
import { getOption, type DescFile, type DescMethod } from "@bufbuild/protobuf";
import { access, CallerKind } from "@contract/causeway/access/v1/access_pb";
import { expect, it } from "vitest";

const files = import.meta.glob<Record<string, unknown>>("../../typescript/src/gen/causeway/**/*_pb.ts", { eager: true });
const sources = import.meta.glob<string>(["./**/*.{ts,tsx}", "!./**/*.test.*"], { eager: true, query: "?raw", import: "default" });

const isFile = (value: unknown): value is DescFile => (value as Partial<DescFile>).kind === "file";
const methods = Object.values(files)
  .flatMap((file) => Object.values(file).filter(isFile))
  .flatMap(({ services }) => services)
  .flatMap((service) => service.methods)
  .filter((method) => getOption(method, access).callers.includes(CallerKind.USER));

/** Calls that the UI leaves to others, each with the reason. */
const exceptions: Record<string, string> = {
  "AccountService.CreateAccount": "the operator of a platform makes accounts, by the command line",
  "AccountService.ListAccounts": "the operator of a platform lists accounts, by the command line",
  "SessionService.CreateSession": "it exchanges the token of an identity provider, which the browser never holds",
  "SessionService.SignOut": "the router ends the session, as only it can take the cookie away",
  "ApplicationService.WatchApplications": "pages watch applications by WatchViews, which tells of many in one stream",
  "ApplicationService.GetManifest": "pages read the manifests of many resources in one call",
  "GitSourceService.CreateGitSource": "pages do not create Git sources yet; the command line does",
  "GitSourceService.DeleteGitSource": "pages do not delete Git sources yet; the command line does",
  "GitSourceService.GetGitSource": "pages do not show Git sources yet; the command line does",
  "GitSourceService.ListGitSources": "pages do not show Git sources yet; the command line does",
  "IntegrationService.GetIntegration": "the list of integrations has everything that is shown",
  "CommitService.PlanSourceChange": "pages commit a value or an image; 'causeway app set --commit' plans settings of an application",
  "ExecService.Exec": "browsers cannot stream requests; a WebSocket of the router stands for it",
  "ResourceService.WatchResources": "pages read resources again on an interval or when their application changes; streams are few",
  "ResourceActionService.GetLiveResource": "the drawer shows what was reported, which needs no call into the runtime",
  "RoleService.GetRole": "the list of roles has everything that is shown",
  "UserService.GetUser": "the list of users has everything that is shown",
  "RolloutActionService.SetRolloutImage": "the image is a matter of Git; a change past Git stays with the command line",
  "WorkflowActionService.SubmitWorkflow": "pages run workflows again; a first one is submitted by CI or the command line",
};

/** Tells whether a file names both the service and the method. */
function isUsed({ parent, localName }: DescMethod): boolean {
  const call = new RegExp(`\\b${localName}\\b`);
  return Object.values(sources).some((text) => text.includes(parent.name) && call.test(text));
}

it("finds the calls of the contract, and the sources", () => {
  expect(methods.length).toBeGreaterThan(50);
  expect(Object.keys(sources).length).toBeGreaterThan(100);
});

it("uses every call that a user may make, or says why not", () => {
  const unused = methods.filter((method) => !isUsed(method)).map(({ parent, name }) => `${parent.name}.${name}`);
  expect(unused.filter((name) => !(name in exceptions))).toEqual([]);
  expect(Object.keys(exceptions).filter((name) => !unused.includes(name)), "exceptions without need").toEqual([]);
});
