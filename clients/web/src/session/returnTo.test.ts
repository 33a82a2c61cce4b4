import { expect, it } from "vitest";
import { returnPath } from "./returnTo";

it("keeps deep links of this UI", () => {
  for (const path of ["/", "/apps?health=degraded,missing&q=a%20b", "/apps/prod-eu/in-cluster/argocd/checkout?drawer=x"]) {
    expect(returnPath(path)).toBe(path);
  }
});

it("goes to the first page in place of another host or of the sign-in itself", () => {
  for (const path of [undefined, "", "//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "/auth/logout", "/sign-in?a", "/a\nb", `/${"a".repeat(3000)}`]) {
    expect(returnPath(path)).toBe("/");
  }
});
