import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

/** Adds a blocking script file to the head, so that a chosen theme applies before the first paint. */
export function themeScript(file: string): Plugin {
  const source = readFileSync(file, "utf8");
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 8);
  const built = `assets/theme-${hash}.js`;
  return {
    name: "causeway-theme-script",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: built, source });
    },
    transformIndexHtml: {
      order: "post",
      handler: (_html, context) => {
        const src = context.server ? "/src/theme/before-paint.js" : `/${built}`;
        return [{ tag: "script", attrs: { src }, injectTo: "head-prepend" }];
      },
    },
  };
}
