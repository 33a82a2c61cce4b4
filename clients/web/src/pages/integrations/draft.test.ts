import { create } from "@bufbuild/protobuf";
import { IntegrationSchema, Provider } from "@contract/causeway/git/v1/integration_service_pb";
import { expect, it } from "vitest";
import { commandOf, credentialOf, draftFor, hasSecret, problemsOf, providerOf, withoutSecret } from "./draft";

const others = [create(IntegrationSchema, { name: "taken" })];

it("fills in what a host expects, and keeps what was typed", () => {
  const github = draftFor(Provider.GITHUB);
  expect(github).toMatchObject({ name: "github", url: "https://github.com", user: "x-access-token" });
  expect(draftFor(Provider.GITLAB, github)).toMatchObject({ name: "gitlab", url: "https://gitlab.com", user: "oauth2" });
  expect(draftFor(Provider.GITLAB, { ...github, url: "https://git.corp", password: "p" })).toMatchObject({ url: "https://git.corp", password: "p" });
});

it("guesses the host of a repository", () => {
  expect(providerOf("git@github.com:shop/web.git")).toBe(Provider.GITHUB);
  expect(providerOf("https://dev.azure.com/o/p/_git/r")).toBe(Provider.AZURE_DEVOPS);
  expect(providerOf("https://git.corp/shop")).toBe(Provider.GIT);
});

it("says what is wrong before a secret is sent", () => {
  const draft = draftFor(Provider.GITHUB);
  expect(problemsOf(draft, others)).toEqual({});
  expect(problemsOf({ ...draft, name: "taken" }, others).name).toContain("has an integration");
  for (const name of ["A", "-a", "a-", "a".repeat(41)]) expect(problemsOf({ ...draft, name }, others).name, name).toContain("1 to 40");
  expect(problemsOf({ ...draft, url: "github.com" }, others).url).toContain("https://");
  expect(problemsOf({ ...draft, kind: "ssh" }, others).kind).toContain("ssh:// URL");
  expect(problemsOf({ ...draft, url: "ssh://git@github.com" }, others).kind).toContain("needs an SSH key");
});

it("drops the secret and nothing else", () => {
  const draft = { ...draftFor(Provider.GITHUB), password: "p" };
  expect(hasSecret(draft)).toBe(true);
  expect(credentialOf(draft)).toEqual({ user: "x-access-token", password: "p" });
  expect(withoutSecret(draft)).toEqual({ ...draft, password: "" });
  expect(hasSecret({ ...draft, kind: "ssh", privateKey: "k" })).toBe(false);
  expect(commandOf("prod-eu", { ...draft, url: "https://github.com/" }, "")).toBe(
    "causeway integration create github --runtime prod-eu --provider github --url https://github.com --user x-access-token --token-file -",
  );
});
