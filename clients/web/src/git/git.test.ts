// @vitest-environment node
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { IntegrationSchema, Provider } from "@contract/causeway/git/v1/integration_service_pb";
import { describe, expect, it } from "vitest";
import { keyId } from "./credential";
import { seal } from "./hpke";
import { commitUrl, providers } from "./providers";
import { fitting, repositoryBy, urlProblem } from "./repository";

/** What the runtime's own code opens in its test of the same file. */
const vector = new Map(readFileSync("../../services/lib/assertion/src/seal/browser.txt", "utf8").trim().split("\n").map((line) => line.split(" ") as [string, string]));
const bytes = (name: string) => Uint8Array.from(Buffer.from(vector.get(name) ?? "", "hex"));
const words = (name: string) => Buffer.from(bytes(name)).toString();

describe("seal", () => {
  it("seals what the runtime opens, byte for byte", async () => {
    const curve = { name: "ECDH", namedCurve: "P-256" };
    const privateKey = await crypto.subtle.importKey("pkcs8", bytes("ephemeral_private_key"), curve, false, ["deriveBits"]);
    const publicKey = await crypto.subtle.importKey("raw", bytes("ephemeral_public_key"), curve, true, []);
    const sealed = await seal(bytes("public_key"), words("info"), words("context"), bytes("secret"), { privateKey, publicKey });
    expect(sealed).toEqual({ encapsulatedKey: bytes("encapsulated_key"), ciphertext: bytes("ciphertext") });
  });

  it("takes a key of its own each time", async () => {
    const one = await seal(bytes("public_key"), "info", "context", bytes("secret"));
    const two = await seal(bytes("public_key"), "info", "context", bytes("secret"));
    expect(one.encapsulatedKey).not.toEqual(two.encapsulatedKey);
    expect(one.ciphertext).not.toEqual(two.ciphertext);
  });

  it("refuses what is no public key", async () => {
    await expect(seal(new Uint8Array(65), "info", "context", bytes("secret"))).rejects.toThrow();
  });

  it("names a key as the command line does", async () => {
    const digest = createHash("sha256").update(bytes("public_key")).digest("hex");
    expect(await keyId(bytes("public_key"))).toBe(digest.slice(0, 32));
  });
});

const integration = (name: string, url: string) => create(IntegrationSchema, { name, url });

describe("repositoryBy", () => {
  it("takes a repository under the URL as it is", () => {
    expect(repositoryBy({ url: "https://git.example.com/shop" }, "https://git.example.com/shop/web.git")).toBe("https://git.example.com/shop/web.git");
    expect(repositoryBy({ url: "https://git.example.com/shop" }, "https://git.example.com/shops/web.git")).toBeUndefined();
    expect(repositoryBy({ url: "https://git.example.com/shop" }, "https://git.example.com/shop/")).toBeUndefined();
    expect(repositoryBy({ url: "https://git.example.com/shop" }, "")).toBeUndefined();
  });

  it("reaches the same repository by another protocol", () => {
    expect(repositoryBy({ url: "https://github.com/shop" }, "git@github.com:shop/web.git")).toBe("https://github.com/shop/web.git");
    expect(repositoryBy({ url: "ssh://git@github.com/shop" }, "https://GitHub.com/shop/web")).toBe("ssh://git@github.com/shop/web");
    expect(repositoryBy({ url: "https://github.com" }, "ssh://git@github.com:22/shop/web.git")).toBe("https://github.com/shop/web.git");
    expect(repositoryBy({ url: "http://127.0.0.1:1" }, "http://127.0.0.1:2/shop/web.git")).toBeUndefined();
  });

  it("prefers the integration with the longest URL", () => {
    const all = [integration("all", "https://github.com"), integration("shop", "https://github.com/shop"), integration("other", "https://github.com/other")];
    expect(fitting(all, "https://github.com/shop/web").map(({ name }) => name)).toEqual(["shop", "all"]);
  });
});

it("finds what is wrong with a URL before the runtime does", () => {
  const good = ["", "https://github.com/shop", "ssh://git@host:2222/shop", "http://127.0.0.1:4000", "http://localhost/x"];
  expect(good.map(urlProblem)).toEqual(good.map(() => undefined));
  const bad = ["github.com/shop", "http://git.example.com", "git@github.com:shop", "ssh://github.com/shop", "https://me:token@github.com", "https://github.com/a?b"];
  for (const url of bad) expect(urlProblem(url), url).toBeTypeOf("string");
});

describe("providers", () => {
  it("are all of the contract, with the words of the command line", () => {
    const cli = readFileSync("../cli/src/integration.rs", "utf8");
    expect(providers.map(({ provider }) => provider).sort()).toEqual(Object.values(Provider).filter((value) => typeof value === "number" && value > 0));
    for (const { word } of providers) expect(cli).toContain(`=> "${word}"`);
  });

  it("know the page of a commit", () => {
    const url = (provider: Provider, repository: string) => commitUrl(provider, repository, "c0ffee");
    expect(url(Provider.GITHUB, "https://github.com/shop/web.git")).toBe("https://github.com/shop/web/commit/c0ffee");
    expect(url(Provider.GITLAB, "https://gitlab.com/a/b/web")).toBe("https://gitlab.com/a/b/web/-/commit/c0ffee");
    expect(url(Provider.BITBUCKET_CLOUD, "https://bitbucket.org/shop/web")).toBe("https://bitbucket.org/shop/web/commits/c0ffee");
    expect(url(Provider.BITBUCKET_DATA_CENTER, "https://git.corp/x/scm/SHOP/web.git")).toBe("https://git.corp/x/projects/SHOP/repos/web/commits/c0ffee");
    expect(url(Provider.AZURE_DEVOPS, "https://dev.azure.com/o/p/_git/web")).toBe("https://dev.azure.com/o/p/_git/web/commit/c0ffee");
    expect(url(Provider.GIT, "https://git.example.com/web")).toBeUndefined();
    expect(url(Provider.GITHUB, "ssh://git@github.com/shop/web")).toBeUndefined();
  });
});
