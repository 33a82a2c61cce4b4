import type { Page } from "@playwright/test";
import { expectAccessible } from "./axe.ts";
import { expect, test } from "./browser.ts";

const SECRET = "canary-9f3b17";
const GUESTBOOK = "/apps/local/in-cluster/argocd/guestbook";

test("a credential is sealed in the browser, and the runtime commits with it", async ({ signedIn, platform }) => {
  test.setTimeout(400_000);
  const sent: string[] = [];
  signedIn.on("request", (request) => sent.push(request.url(), request.postDataBuffer()?.toString("latin1") ?? ""));
  await signedIn.goto("/runtimes/local/integrations");
  await expect(signedIn.getByRole("heading", { name: "No Git integration" })).toBeVisible();
  await signedIn.getByRole("button", { name: "Create an integration…" }).click();
  const form = signedIn.getByRole("dialog");
  await form.getByRole("button", { name: /Kind of host/ }).click();
  await signedIn.getByRole("option", { name: "Git over HTTPS or SSH" }).click();
  await form.getByLabel("Name", { exact: true }).fill("demo");
  await form.getByLabel("URL").fill(platform.git);
  await form.locator("input[type=password]").fill(SECRET);
  await expect(form).toContainText(/causeway integration create demo .* --sealing-key [0-9a-f]{32}/);
  for (const scheme of ["light", "dark"] as const) {
    await signedIn.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await expectAccessible(signedIn, `the form of an integration in ${scheme}`);
  }
  await form.getByRole("button", { name: "Create integration" }).click();
  await expect(signedIn.getByRole("row", { name: /demo/ })).toContainText(platform.git);
  await expectAccessible(signedIn, "integrations");
  expect(await secretsIn(signedIn)).toEqual([]);
  expect(sent.join("\n")).not.toContain(SECRET);

  await signedIn.goto(GUESTBOOK);
  await signedIn.getByRole("button", { name: "All actions" }).click();
  await signedIn.getByRole("menuitem", { name: "Commit to Git…" }).click();
  const dialog = signedIn.getByRole("dialog", { name: /Commit to Git/ });
  await dialog.getByLabel("File").fill("guestbook/deployment.yaml");
  await dialog.getByLabel("Path of the value").fill("spec.replicas");
  await dialog.getByLabel("Value", { exact: true }).fill("3");
  await expectAccessible(signedIn, "edits");
  await dialog.getByRole("button", { name: "Show the difference" }).click();
  const difference = dialog.getByRole("region", { name: "Difference of guestbook/deployment.yaml" });
  await expect(difference).toContainText("removed: ");
  await expect(difference).toContainText("replicas: 3");
  await expectAccessible(signedIn, "the difference");
  await dialog.getByRole("button", { name: "Commit to main" }).click();
  await expect(dialog).toContainText(/Committed\s*[0-9a-f]{7}\s*to main/);
  await expect(dialog).toContainText("The cluster matches it");
  await expect(dialog).toContainText("guestbook is healthy");
  await expectAccessible(signedIn, "the commit");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(signedIn.getByRole("main")).toContainText("Set spec.replicas of guestbook to 3");

  await signedIn.goto("/runtimes/local/integrations");
  await signedIn.getByRole("button", { name: "Delete demo" }).click();
  const question = signedIn.getByRole("alertdialog");
  await expect(question).toContainText("Commit to Git on the pages of 5 applications: broken, guestbook");
  await question.getByLabel("Type demo to confirm").fill("demo");
  await question.getByRole("button", { name: "Delete demo" }).click();
  await expect(signedIn.getByRole("heading", { name: "No Git integration" })).toBeVisible();
});

test("a change that no integration reaches says how to get one", async ({ signedIn }) => {
  await signedIn.goto(`${GUESTBOOK}?tab=parameters`);
  await signedIn.getByRole("button", { name: "Commit to Git…" }).click();
  const dialog = signedIn.getByRole("dialog", { name: /Commit to Git/ });
  await expect(dialog).toContainText("No integration of local reaches this repository.");
  await dialog.getByRole("link", { name: "Create one" }).click();
  await expect(signedIn.getByRole("dialog", { name: /Create an integration/ })).toBeVisible();
});

/** Where the secret still is: what the page shows, stores or names. */
function secretsIn(page: Page): Promise<string[]> {
  return page.evaluate((secret) => {
    const fields = [...document.querySelectorAll("input, textarea")].map((field) => (field as HTMLInputElement).value).join();
    const places = { text: document.documentElement.outerHTML, fields, local: JSON.stringify({ ...localStorage }), session: JSON.stringify({ ...sessionStorage }), url: location.href };
    return Object.entries(places).filter(([, text]) => text.includes(secret)).map(([place]) => place);
  }, SECRET);
}
