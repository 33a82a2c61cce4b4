// Lists the files of dist/ for build.rs, and compresses each once. Equal input gives equal bytes.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const web = fileURLToPath(new URL("..", import.meta.url));
const dist = join(web, "dist");

const types = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** The files below a folder that are served, with paths relative to dist/. */
function served(folder = "") {
  return readdirSync(join(dist, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.name.startsWith(".") || path === "manifest.txt" || /\.(br|gz)$/.test(path)) {
      return [];
    }
    return entry.isDirectory() ? served(path) : [path];
  });
}

/** Writes a compressed form where it is smaller. */
function compressed(path, bytes, ending, compress) {
  const small = compress(bytes);
  if (small.length >= bytes.length) {
    return false;
  }
  writeFileSync(join(dist, path + ending), small);
  return true;
}

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });

function line(path) {
  const type = types[extname(path)];
  if (type === undefined) {
    throw new Error(`dist/${path}: add the content type of ${extname(path)} to scripts/manifest.mjs`);
  }
  const bytes = readFileSync(join(dist, path));
  const forms = ["raw"];
  if (compressed(path, bytes, ".gz", (raw) => gzipSync(raw, { level: 9 }))) forms.push("gz");
  if (compressed(path, bytes, ".br", brotli)) forms.push("br");
  const digest = createHash("sha256").update(bytes).digest("hex");
  return [path, type, digest, forms.join(",")].join("\t");
}

// By code unit, so that no locale changes the order.
const paths = served().sort((left, right) => (left < right ? -1 : 1));
writeFileSync(join(dist, "manifest.txt"), paths.map((path) => `${line(path)}\n`).join(""));
// Cargo compares times. This file is always there, so a build without dist/ stays fresh.
const stamp = join(web, "dist.stamp");
utimesSync(stamp, new Date(), new Date());
const size = paths.reduce((sum, path) => sum + statSync(join(dist, path)).size, 0);
console.log(`dist/manifest.txt: ${paths.length} files, ${Math.ceil(size / 1024)} KiB`);
