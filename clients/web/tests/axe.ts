import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Checks the page against WCAG 2.2 A and AA and the best practices of axe. */
export async function expectAccessible(page: Page, place: string): Promise<void> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async (rules) => {
    const axe = (window as unknown as { axe: { run(where: Document, options: object): Promise<{ violations: Violation[] }> } }).axe;
    const result = await axe.run(document, { runOnly: { type: "tag", values: rules } });
    return result.violations.map((it) => `${it.id}: ${it.nodes.map((node) => node.html.slice(0, 120)).slice(0, 3).join(" | ")}`);
  }, RULES);
  expect(found, `accessibility of ${place}`).toEqual([]);
}

interface Violation {
  id: string;
  nodes: { html: string }[];
}
