import { fileURLToPath } from "node:url";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { licenceNotices } from "./build/notices.ts";
import { platformProxy } from "./build/platform-proxy.ts";
import { themeScript } from "./build/theme-script.ts";
import packageJson from "./package.json" with { type: "json" };

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [react(), tailwind(), themeScript(here("./src/theme/before-paint.js")), licenceNotices()],
  resolve: {
    alias: { "@": here("./src"), "@contract": here("../typescript/src/gen"), "@client": here("../typescript/src") },
    // The client lies in another folder and must use this folder's packages.
    dedupe: ["@bufbuild/protobuf", "@connectrpc/connect"],
  },
  define: { __VERSION__: JSON.stringify(process.env["CAUSEWAY_VERSION"] ?? packageJson.version) },
  worker: { format: "es" },
  build: {
    target: ["chrome125", "firefox128", "safari17.5"],
    // The content security policy allows files of this origin only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    assetsDir: "assets",
  },
  server: { proxy: platformProxy(), fs: { allow: [here("."), here("../typescript/src")] } },
  test: { environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"] },
});
