import { readFileSync } from "node:fs";
import type { ClientRequest } from "node:http";
import type { ProxyOptions } from "vite";

/** Forwards calls of the development server to a platform, with an API key where one is configured. */
export function platformProxy(): Record<string, ProxyOptions> {
  const target = process.env["CAUSEWAY_URL"] ?? "http://127.0.0.1:7400";
  const options: ProxyOptions = { target, changeOrigin: true, ws: true, configure: (proxy) => addCredential(proxy, target) };
  return { "^/causeway\\.": options, "^/v1": options, "^/auth/": options };
}

type Proxy = Parameters<NonNullable<ProxyOptions["configure"]>>[0];

/** The platform refuses other origins, and the development server is one. */
function addCredential(proxy: Proxy, target: string) {
  const file = process.env["CAUSEWAY_API_KEY_FILE"];
  const addKey = (request: ClientRequest) => {
    if (file) request.setHeader("authorization", `Bearer ${readFileSync(file, "utf8").trim()}`);
  };
  proxy.on("proxyReq", (request) => {
    request.removeHeader("origin");
    addKey(request);
  });
  // A terminal by the cookie needs the platform's own origin.
  proxy.on("proxyReqWs", (request) => {
    if (file) request.removeHeader("origin");
    else request.setHeader("origin", target);
    addKey(request);
  });
}
