import { expectAccessible } from "./axe.ts";
import { expect, test } from "./browser.ts";
import { PAGES } from "./places.ts";

for (const scheme of ["light", "dark"] as const) {
  test(`every page is accessible in ${scheme}`, async ({ signedIn }) => {
    test.setTimeout(600_000);
    await signedIn.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    for (const [path, text] of PAGES) {
      await signedIn.goto(path);
      await expect(signedIn.getByRole("main"), path).toContainText(text);
      await expect(signedIn.getByRole("heading", { level: 1 }), path).toHaveCount(1);
      await expectAccessible(signedIn, `${path} in ${scheme}`);
    }
  });
}

test("no page scrolls sideways on a small screen", async ({ signedIn }) => {
  test.setTimeout(600_000);
  for (const width of [320, 390]) {
    await signedIn.setViewportSize({ width, height: 800 });
    for (const [path, text] of PAGES) {
      await signedIn.goto(path);
      await expect(signedIn.getByRole("main"), path).toContainText(text);
      const overflow = await signedIn.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(overflow, `${path} at ${width} px`).toBeLessThanOrEqual(0);
    }
  }
});
