import type { Page } from "@playwright/test";
import { expect, signIn, test } from "./browser.ts";
import { hostileChanges } from "./hostile.ts";
import { PAGES } from "./places.ts";
import { startProxy } from "./proxy.ts";

const AT = "/apps/local/in-cluster/argocd";
const MORE: typeof PAGES = [
  [`${AT}/guestbook?tab=logs`, /./],
  [`${AT}/guestbook?tab=timeline`, /./],
  [`${AT}/guestbook?tab=history`, /./],
  [`${AT}/guestbook?tab=parameters`, /javascript:globalThis.hit=1\/\//],
];
/** Pages that show no text of others on a new platform. */
const WITHOUT_TEXT = ["/apps?view=tree", "/workflows", "/runtimes/local/integrations", "/join", "/settings"];

test("hostile text of clusters and Git is shown as text on every page", async ({ browser, platform }) => {
  test.setTimeout(900_000);
  const changes = await hostileChanges();
  const proxy = await startProxy(platform.address, changes);
  const context = await browser.newContext({ baseURL: proxy.address, viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  const complaints = await watch(page);
  try {
    await signIn(page, platform);
    const plain: string[] = [];
    for (const [path, text] of [...PAGES, ...MORE]) {
      await page.goto(path);
      await expect(page.getByRole("main"), path).toContainText(text);
      await expect(page.locator("main .animate-pulse"), `${path} has loaded`).toHaveCount(0);
      const found = await page.evaluate(inspect);
      if (!found.isShown) plain.push(path);
      expect.soft({ path, ...found, isShown: true }).toEqual({ path, isShown: true, hit: undefined, elements: [], links: [], wide: [] });
      expect.soft(complaints.splice(0), path).toEqual([]);
    }
    // A proxy that changes nothing would prove nothing.
    expect(plain).toEqual(WITHOUT_TEXT);
    expect(changes.changed()).toBeGreaterThan(1000);
  } finally {
    await context.close();
    await proxy.stop();
  }
});

/** Collects violations of the content security policy and errors of the page. */
async function watch(page: Page): Promise<string[]> {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => complaints.push(dialog.message()));
  await page.exposeFunction("complain", (text: string) => complaints.push(text));
  await page.addInitScript(() => {
    const { complain } = globalThis as unknown as { complain: (text: string) => void };
    document.addEventListener("securitypolicyviolation", (event) => complain(`${event.violatedDirective} ${event.blockedURI}`));
  });
  return complaints;
}

/** Runs in the page. */
function inspect() {
  const { documentElement: root } = document;
  const rightOf = (each: Element) => each.getBoundingClientRect().right;
  /** The last that stand out are the innermost. */
  const widest = () => {
    const wide = [...document.querySelectorAll("body *")].filter((each) => rightOf(each) > root.clientWidth);
    return wide.slice(-3).map((each) => `${each.className}: ${each.textContent?.slice(0, 60)}`);
  };
  const links = [...document.querySelectorAll<HTMLAnchorElement>("a[href]")].map(({ href }) => href);
  return {
    isShown: document.body.innerText.includes("onerror=globalThis.hit=1"),
    hit: (globalThis as { hit?: number }).hit,
    elements: [...document.querySelectorAll("[onerror], [onload]")].map((each) => each.outerHTML.slice(0, 80)),
    links: links.filter((href) => !/^https?:/.test(href)),
    wide: root.scrollWidth > root.clientWidth ? widest() : [],
  };
}
