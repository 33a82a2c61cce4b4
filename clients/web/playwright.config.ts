import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "tests",
  testMatch: "*.spec.ts",
  // One platform serves all tests, and they change it.
  workers: 1,
  // A shared machine may be slow; a broken page fails all the same.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  forbidOnly: Boolean(process.env["CI"]),
  reporter: [["list"]],
  outputDir: "node_modules/.cache/playwright",
  use: {
    browserName: "chromium",
    launchOptions: { executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
    screenshot: "only-on-failure",
    viewport: { width: 1440, height: 900 },
  },
});
