import { expect, signIn, test } from "./browser.ts";

const GUESTBOOK = "/apps/local/in-cluster/argocd/guestbook";

test("a deep link asks for a sign-in and then opens", async ({ page, platform }) => {
  await page.goto(GUESTBOOK);
  await page.getByLabel("API key").fill(platform.key);
  await page.getByLabel("API key").press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "guestbook" })).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(GUESTBOOK);
});

test("a wrong key is refused and what was typed stays", async ({ page }) => {
  await page.goto("/sign-in");
  const key = page.getByLabel("API key");
  await key.fill("cwk_this-is-not-a-key");
  await key.press("Enter");
  await expect(key).toHaveAttribute("aria-invalid", "true");
  await expect(key).toHaveValue("cwk_this-is-not-a-key");
});

test("the session is a cookie that scripts cannot read, and the key is kept nowhere", async ({ signedIn, platform }) => {
  const cookies = await signedIn.context().cookies();
  // Over TLS the name has the prefix `__Host-`, which browsers do not keep over plain HTTP.
  const session = cookies.find((it) => it.name === "causeway-session");
  expect(session).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
  const stored = await signedIn.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
  expect(stored).not.toContain(platform.key);
  expect(stored).not.toContain("cws_");
  expect(await signedIn.content()).not.toContain(platform.key);
});

test("a sign-out in one tab ends the other one", async ({ signedIn, context }) => {
  const other = await context.newPage();
  await other.goto("/runtimes");
  await expect(other.getByRole("heading", { level: 1, name: "Runtimes" })).toBeVisible();
  await signedIn.getByRole("button", { name: /^Account of/ }).click();
  await signedIn.getByRole("menuitem", { name: /^Sign out/ }).click();
  await expect(signedIn.getByLabel("API key")).toBeVisible();
  await expect(other.getByLabel("API key")).toBeVisible();
});

test("a session that was revoked elsewhere starts again without leaving the page", async ({ signedIn, platform }) => {
  await signedIn.goto("/people");
  await expect(signedIn.getByRole("table", { name: "Users" })).toBeVisible();
  const headers = { authorization: `Bearer ${platform.key}` };
  const listed = await (await fetch(`${platform.address}/v1/sessions`, { headers })).json();
  for (const session of listed.sessions as { sessionId: string; revokedAt?: string }[]) {
    if (session.revokedAt !== undefined) continue;
    const body = JSON.stringify({ requestId: crypto.randomUUID() });
    const url = `${platform.address}/v1/sessions/${session.sessionId}:revoke`;
    expect((await fetch(url, { method: "POST", headers: { ...headers, "content-type": "application/json" }, body })).ok).toBe(true);
  }
  await signedIn.getByRole("tab", { name: "Roles" }).click();
  await expect(signedIn.getByRole("heading", { name: "Your session ended" })).toBeVisible();
  expect(new URL(signedIn.url()).pathname).toBe("/people");
});

test("every page needs a session", async ({ page, platform }) => {
  for (const path of ["/", "/apps", "/runtimes", "/people", "/audit"]) {
    await page.goto(path);
    await expect(page.getByLabel("API key"), path).toBeVisible();
  }
  await signIn(page, platform);
});
