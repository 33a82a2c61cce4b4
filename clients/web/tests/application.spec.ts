import { expect, test } from "./browser.ts";
import type { Platform } from "./platform.ts";

const AT = "/apps/local/in-cluster/argocd";

test("a broken application says what is wrong", async ({ signedIn }) => {
  await signedIn.goto(`${AT}/broken`);
  await expect(signedIn.getByRole("main")).toContainText("Missing");
  await expect(signedIn.getByRole("main")).toContainText("is not in the cluster");
});

test("a change of another client is shown without a reload", async ({ signedIn, platform }) => {
  await signedIn.goto(`${AT}/podinfo`);
  await expect(signedIn.getByRole("heading", { level: 1, name: "podinfo" })).toBeVisible();
  await signedIn.evaluate(() => ((window as unknown as { kept: boolean }).kept = true));
  await sync(platform, "podinfo");
  await signedIn.getByRole("tab", { name: /History|Timeline/ }).first().click();
  await expect(signedIn.getByRole("main")).toContainText("admin");
  expect(await signedIn.evaluate(() => (window as unknown as { kept: boolean }).kept)).toBe(true);
});

test("an application is synced from its page, with its plan first", async ({ signedIn }) => {
  await signedIn.goto(`${AT}/guestbook`);
  await signedIn.getByRole("button", { name: "Sync…" }).click();
  const dialog = signedIn.getByRole("dialog");
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: /^Sync\b/ }).last().click();
  await expect(dialog).toContainText("Succeeded");
});

test("resources are listed, and one opens in the drawer with its manifest", async ({ signedIn }) => {
  await signedIn.goto(`${AT}/guestbook?tab=list`);
  await signedIn.getByRole("row", { name: /ConfigMap/ }).getByText("guestbook").first().click();
  const drawer = signedIn.getByRole("dialog").or(signedIn.getByRole("complementary"));
  await expect(drawer.first()).toContainText("guestbook");
  await drawer.first().getByRole("tab", { name: "Live" }).click();
  await expect(drawer.first()).toContainText("apiVersion");
});

test("logs of all pods are read as one", async ({ signedIn }) => {
  await signedIn.goto(`${AT}/guestbook?tab=logs`);
  await expect(signedIn.getByRole("log").first()).toContainText(/\S{3,}/);
});

test("a line of a log is linked by keyboard, and the link opens at it", async ({ signedIn }) => {
  await signedIn.goto(`${AT}/guestbook?tab=logs`);
  const log = signedIn.getByRole("log");
  await expect(log).toContainText(/\S{3,}/);
  await log.focus();
  await signedIn.keyboard.press("Enter");
  await expect(signedIn).toHaveURL(/line=/);
  const linked = log.locator("[aria-current=true]");
  const text = await linked.innerText();
  await signedIn.reload();
  await expect(linked).toHaveText(text, { useInnerText: true });
});

test("lines below a level are left out", async ({ signedIn }) => {
  await signedIn.goto(`${AT}/guestbook?tab=logs&level=error`);
  await expect(signedIn.getByText("No line matches the filter.")).toBeVisible();
  await signedIn.getByRole("button", { name: /Level/ }).click();
  await signedIn.getByRole("option", { name: "All levels" }).click();
  await expect(signedIn.getByRole("log")).toContainText(/\S{3,}/);
});

test("a shell in a container answers to what is typed", async ({ signedIn }) => {
  await signedIn.goto(`${AT}/guestbook?tab=terminal`);
  const start = signedIn.getByRole("button", { name: /Open|Start|Connect/ }).first();
  await start.click();
  await expect(signedIn.locator(".xterm-rows")).toContainText(/[#$>]/);
  await signedIn.keyboard.type("hostname");
  await signedIn.keyboard.press("Enter");
  await expect(signedIn.locator(".xterm-rows")).toContainText(/guestbook-\w+-\w+/);
});

/** Syncs an application as another client does. */
async function sync(platform: Platform, name: string): Promise<void> {
  const answer = await fetch(`${platform.address}/v1/runtimes/local/applications/argocd/${name}:sync`, {
    method: "POST",
    headers: { authorization: `Bearer ${platform.key}`, "content-type": "application/json" },
    body: JSON.stringify({ requestId: crypto.randomUUID() }),
  });
  expect(answer.status, await answer.text()).toBe(200);
}
