import { expectAccessible } from "./axe.ts";
import { expect, test } from "./browser.ts";

const LONG = { timeout: 120_000 };

test("an application is rolled back to an earlier deployment, to the end", async ({ signedIn, platform }) => {
  test.setTimeout(400_000);
  const source = { repoURL: `${platform.git}/demo.git`, targetRevision: "main", path: "redis" };
  const destination = { server: "https://kubernetes.default.svc", namespace: "by-hand" };
  const metadata = { name: "by-hand", namespace: "argocd" };
  const spec = { project: "default", source, destination, syncPolicy: { syncOptions: ["CreateNamespace=true"] } };
  await platform.create("/apis/argoproj.io/v1alpha1/namespaces/argocd/applications", { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata, spec });
  const page = signedIn;
  await page.goto("/apps/local/in-cluster/argocd/by-hand");
  for (const deployment of ["0", "1"]) {
    await page.getByRole("button", { name: "Sync…" }).click(LONG);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /^Sync \d+ resource/ }).click(LONG);
    await expect(dialog).toContainText("Succeeded", LONG);
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("tab", { name: "History" }).click();
    await expect(page.getByRole("table", { name: "Deployments" }).getByRole("cell", { name: deployment, exact: true })).toBeVisible(LONG);
  }
  await page.getByRole("table", { name: "Deployments" }).getByRole("row").last().getByRole("button").click();
  await page.getByRole("button", { name: "Roll back to 0…" }).click();
  const dialog = page.getByRole("dialog");
  await expectAccessible(page, "the question of a rollback");
  await dialog.getByRole("button", { name: "Roll back to 0" }).click();
  await expect(dialog).toContainText("Succeeded", LONG);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(page.getByRole("table", { name: "Deployments" }).getByRole("cell", { name: "2", exact: true })).toBeVisible(LONG);
});

test("a runtime that falls silent is told everywhere, and its applications do not act", async ({ signedIn: page, platform }) => {
  test.setTimeout(400_000);
  const runtime = await platform.join("factory");
  await page.goto("/apps?runtime=factory");
  await expect(page.getByRole("gridcell", { name: /guestbook/ }).first()).toBeVisible(LONG);
  await runtime.kill();
  await expect(page.getByRole("contentinfo")).toContainText("1 silent", LONG);
  await expect(page.getByRole("row", { name: /guestbook/ })).toContainText("was Healthy", LONG);
  await page.goto("/");
  await expect(page.getByRole("main")).toContainText("factory", LONG);
  await page.goto("/runtimes/factory");
  await expect(page.getByRole("main")).toContainText(/silent \d/, LONG);
  await page.goto("/apps/factory/in-cluster/argocd/guestbook");
  await expect(page.getByRole("main")).toContainText("factory is silent. What is shown is its last report");
  const sync = page.getByRole("button", { name: "Sync…" });
  await expect(sync).toHaveAttribute("aria-disabled", "true");
  await sync.focus();
  await expect(page.getByRole("tooltip")).toContainText("factory is not connected, so no action reaches it.");
  await page.getByRole("button", { name: "All actions" }).click();
  await expect(page.getByRole("menuitem", { name: "Commit to Git…" })).toHaveAttribute("aria-disabled", "true");
  await page.keyboard.press("Escape");
  await page.goto("/runtimes/factory/integrations");
  await expect(page.getByRole("main")).toContainText(/Cannot list integrations|not connected/, LONG);
  await expectAccessible(page, "integrations of a silent runtime");
});

test("the pages of Git work at 200 % zoom and on small screens", async ({ signedIn: page }) => {
  test.setTimeout(400_000);
  // A browser at 200 % gives a page half of the pixels of its window.
  for (const width of [720, 390, 320]) {
    await page.setViewportSize({ width, height: width === 720 ? 450 : 800 });
    await page.goto("/runtimes/local/integrations?repository=https://github.com/shop/web");
    await expectNoOverflow(page, "[role=dialog]", width);
    await page.getByRole("dialog").getByRole("button", { name: "Create integration" }).scrollIntoViewIfNeeded();
    await page.goto("/apps/local/in-cluster/argocd/guestbook?dialog=commit");
    await expectNoOverflow(page, "[role=dialog]", width);
    await expect(page.getByRole("dialog").getByRole("button", { name: "Show the difference" })).toBeInViewport();
  }
});

/** Nothing scrolls sideways: neither the page nor the part. */
async function expectNoOverflow(page: import("@playwright/test").Page, part: string, width: number): Promise<void> {
  await expect(page.locator(part)).toBeVisible();
  const over = await page.evaluate((selector) => {
    const parts = [document.documentElement, ...document.querySelectorAll(`${selector}, ${selector} > div`)];
    return parts.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.className);
  }, part);
  expect(over, `${page.url()} at ${width} px`).toEqual([]);
}
