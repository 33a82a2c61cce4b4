import { createHash } from "node:crypto";
import type { Plugin } from "vite";
import { notices } from "../scripts/licences.mjs";

/** Checks the licences of what is shipped, writes their notices, and tells the page where they are. */
export function licenceNotices(): Plugin {
  const text = notices();
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const file = `assets/notices-${hash}.txt`;
  return {
    name: "causeway-licence-notices",
    config: () => ({ define: { __NOTICES__: JSON.stringify(`/${file}`) } }),
    generateBundle() {
      this.emitFile({ type: "asset", fileName: file, source: text });
      this.emitFile({ type: "asset", fileName: "NOTICES.txt", source: text });
    },
    configureServer(server) {
      server.middlewares.use(`/${file}`, (_request, response) => {
        response.setHeader("content-type", "text/plain; charset=utf-8");
        response.end(text);
      });
    },
  };
}
