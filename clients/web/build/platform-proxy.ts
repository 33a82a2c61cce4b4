import { readFileSync } from "node:fs";
import type { ProxyOptions } from "vite";

/** Forwards calls of the development server to a platform, with an API key where one is configured. */
export function platformProxy(): Record<string, ProxyOptions> {
  const target = process.env["CAUSEWAY_URL"] ?? "http://127.0.0.1:7400";
  const options: ProxyOptions = { target, changeOrigin: true, ws: true, configure: addCredential };
  return { "^/causeway\\.": options, "^/v1": options, "^/auth/": options };
}

const addCredential: NonNullable<ProxyOptions["configure"]> = (proxy) => {
  const file = process.env["CAUSEWAY_API_KEY_FILE"];
  proxy.on("proxyReq", (request) => {
    // The platform refuses other origins, and the development server is one.
    request.removeHeader("origin");
    if (file) request.setHeader("authorization", `Bearer ${readFileSync(file, "utf8").trim()}`);
  });
};
