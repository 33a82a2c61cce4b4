import type { Browser, Page } from "@playwright/test";
import { expect, signIn, test } from "./browser.ts";
import type { Platform } from "./platform.ts";
import { type Proxy, startProxy } from "./proxy.ts";

const WATCH = /\/Watch(Views|Applications)$/;
const LONG = { timeout: 120_000 };

test("a platform that is killed and started again is taken up without a reload", async ({ signedIn, platform }) => {
  test.setTimeout(400_000);
  await openApplications(signedIn);
  await mark(signedIn);
  await platform.kill();
  await expect(signedIn.getByText(/No connection to the platform/)).toBeVisible(LONG);
  await expect(signedIn.getByRole("gridcell", { name: /guestbook/ }).first()).toBeVisible();
  await platform.startAgain();
  await expectLive(signedIn);
  expect(await isMarked(signedIn)).toBe(true);
});

test("a browser that was offline for 20 s is live again without a reload", async ({ browser, platform }) => {
  test.setTimeout(400_000);
  await behindProxy(browser, platform, async (page, proxy) => {
    await openApplications(page);
    await mark(page);
    // The browser tells pages alone that it is offline; the stream of the shared worker is cut by the proxy.
    await page.context().setOffline(true);
    proxy.cut();
    await expect(page.getByText(/No connection to the platform for (2\d s|\d+ min)/)).toBeVisible(LONG);
    proxy.mend();
    await page.context().setOffline(false);
    await expectLive(page);
    expect(await isMarked(page)).toBe(true);
  });
});

test("all tabs of a browser have one stream", async ({ browser, platform }) => {
  test.setTimeout(400_000);
  await behindProxy(browser, platform, async (page, proxy) => {
    await openApplications(page);
    for (let tab = 0; tab < 3; tab++) await openApplications(await page.context().newPage());
    for (const name of ["guestbook", "podinfo", "redis"]) {
      const tab = await page.context().newPage();
      await tab.goto(`/apps/local/in-cluster/argocd/${name}`);
      await expect(tab.getByRole("heading", { level: 1, name })).toBeVisible(LONG);
    }
    await expect.poll(() => proxy.open.filter((path) => WATCH.test(path)), LONG).toHaveLength(1);
  });
});

async function behindProxy(browser: Browser, platform: Platform, act: (page: Page, proxy: Proxy) => Promise<void>) {
  const proxy = await startProxy(platform.address);
  const context = await browser.newContext({ baseURL: proxy.address, viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await signIn(page, platform);
    await act(page, proxy);
  } finally {
    await context.close();
    await proxy.stop();
  }
}

async function openApplications(page: Page) {
  await page.goto("/apps");
  await expect(page.getByRole("gridcell", { name: /guestbook/ }).first()).toBeVisible(LONG);
  await expectLive(page);
}

async function expectLive(page: Page) {
  await expect(page.getByRole("contentinfo").getByRole("status")).toHaveText(/^live$/, LONG);
  await expect(page.getByText(/No connection to the platform/)).toBeHidden();
}

/** A reload would lose it. */
async function mark(page: Page) {
  await page.evaluate(() => ((window as unknown as { kept: boolean }).kept = true));
}

async function isMarked(page: Page): Promise<boolean> {
  return page.evaluate(() => (window as unknown as { kept?: boolean }).kept === true);
}
