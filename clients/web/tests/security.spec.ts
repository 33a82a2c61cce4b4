import { expect, test } from "./browser.ts";

test("the page is served with a strict policy, and its files for ever", async ({ platform }) => {
  const index = await fetch(`${platform.address}/apps`, { headers: { accept: "text/html" } });
  const policy = index.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toContain("unsafe");
  expect(index.headers.get("cache-control")).toBe("no-cache");
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await index.text())?.[1];
  const file = await fetch(`${platform.address}${script}`);
  expect(file.headers.get("cache-control")).toContain("immutable");
});

test("programs get JSON where browsers get the page", async ({ platform }) => {
  const answer = await fetch(`${platform.address}/`, { headers: { accept: "*/*" } });
  expect(answer.headers.get("content-type")).toContain("application/json");
});

test("a page that writes HTML is refused by the browser", async ({ signedIn, complaints }) => {
  const refused = await signedIn.evaluate(() => {
    try {
      document.body.innerHTML = "<img src=x onerror=alert(1)>";
      return "written";
    } catch (error) {
      return (error as Error).name;
    }
  });
  expect(refused).toBe("TypeError");
  const reported = complaints.splice(0);
  expect(reported.join()).toContain("TrustedHTML");
});

test("another site cannot sign anyone in, nor act with the session", async ({ signedIn, platform }) => {
  const cookies = await signedIn.context().cookies();
  const cookie = cookies.map((it) => `${it.name}=${it.value}`).join("; ");
  for (const [origin, site] of [["https://evil.example", "cross-site"], ["null", "cross-site"], [platform.address, "same-site"]] as const) {
    const from = { origin, "sec-fetch-site": site, "content-type": "application/json" };
    const key = await fetch(`${platform.address}/auth/key`, { method: "POST", headers: from, body: JSON.stringify({ key: platform.key }) });
    expect(key.status, `${origin} ${site}`).toBe(403);
    expect(key.headers.get("set-cookie")).toBeNull();
    const body = JSON.stringify({ requestId: crypto.randomUUID() });
    const act = await fetch(`${platform.address}/v1/sessions:signOut`, { method: "POST", headers: { ...from, cookie }, body });
    expect([401, 403], `${origin} ${site}`).toContain(act.status);
  }
});
