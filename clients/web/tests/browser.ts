import { test as base, expect, type Page } from "@playwright/test";
import { type Platform, startPlatform } from "./platform.ts";

interface Fixtures {
  /** What the page wrote to the console and which requests left the origin; a test removes what it provokes. */
  complaints: string[];
  /** A page that is signed in as the administrator. */
  signedIn: Page;
}

/**
 * Tests with a platform. After each test nothing may have been written to the console, no content security policy may have been
 * violated, and no request may have left the origin.
 */
export const test = base.extend<Fixtures, { platform: Platform }>({
  platform: [
    async ({}, use) => {
      const platform = await startPlatform();
      await use(platform);
      await platform.stop();
    },
    { scope: "worker" },
  ],
  baseURL: async ({ platform }, use) => use(platform.address),
  complaints: async ({}, use) => use([]),
  page: async ({ page, platform, complaints }, use) => {
    watchPage(page, platform.address, complaints);
    await use(page);
    expect(complaints, "console messages, policy reports and foreign requests").toEqual([]);
  },
  signedIn: async ({ page, platform }, use) => {
    await signIn(page, platform);
    await use(page);
  },
});

export { expect };

/** Signs in with the administrator's API key, as a person does. */
export async function signIn(page: Page, platform: Platform, to = "/"): Promise<void> {
  await page.goto(`/sign-in?to=${encodeURIComponent(to)}`);
  await page.getByLabel("API key").fill(platform.key);
  await page.getByLabel("API key").press("Enter");
  await page.waitForURL((url) => url.pathname !== "/sign-in");
}

function watchPage(page: Page, address: string, complaints: string[]): void {
  page.on("console", (message) => {
    // Chromium reports each refused call on the console; the page shows it to the user.
    if (/^Failed to load resource/.test(message.text())) return;
    complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(data|blob):/.test(url)) complaints.push(`request to ${url}`);
  });
}
