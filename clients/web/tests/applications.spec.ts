import { expect, test } from "./browser.ts";

test("the applications are listed with what is broken first", async ({ signedIn }) => {
  await signedIn.goto("/apps");
  const rows = signedIn.getByRole("row").filter({ has: signedIn.getByRole("gridcell") });
  await expect(rows).toHaveCount(5);
  await expect(rows.first()).toContainText("broken");
});

test("a filter is written to the URL and narrows the list", async ({ signedIn }) => {
  await signedIn.goto("/apps");
  const rows = signedIn.getByRole("row").filter({ has: signedIn.getByRole("gridcell") });
  await expect(rows).toHaveCount(5);
  await signedIn.keyboard.press("/");
  await signedIn.keyboard.type("guest");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("guestbook");
  await expect(signedIn).toHaveURL(/q=guest/);
  await signedIn.reload();
  await expect(rows).toHaveCount(1);
});

test("an application is opened and left by keyboard alone", async ({ signedIn }) => {
  await signedIn.goto("/apps?q=guestbook");
  await expect(signedIn.getByRole("gridcell", { name: /guestbook/ }).first()).toBeVisible();
  await signedIn.keyboard.press("j");
  await signedIn.keyboard.press("Enter");
  await expect(signedIn.getByRole("heading", { level: 1, name: "guestbook" })).toBeVisible();
  await signedIn.goBack();
  await expect(signedIn).toHaveURL(/\/apps\?q=guestbook/);
});

test("selected applications are refreshed together", async ({ signedIn }) => {
  await signedIn.goto("/apps?q=podinfo");
  await expect(signedIn.getByRole("gridcell", { name: /podinfo/ }).first()).toBeVisible();
  await signedIn.keyboard.press("j");
  await signedIn.keyboard.press("x");
  await expect(signedIn.getByText("1 selected")).toBeVisible();
  await signedIn.getByRole("button", { name: "Refresh", exact: true }).click();
  await signedIn.getByRole("button", { name: "Refresh 1 application" }).click();
  await expect(signedIn.getByRole("dialog")).toContainText(/1 of 1/);
});
