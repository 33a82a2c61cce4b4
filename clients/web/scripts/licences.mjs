// Checks the licences of all that is shipped, and collects their notices. Run alone it prints the count, or what is wrong.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL("..", import.meta.url));

const allowed = ["MIT", "ISC", "Apache-2.0"];

/** Packages with another licence that was read and accepted, each with that licence. */
const exceptions = {
  "BSD-3-Clause": ["@bufbuild/protobuf"],
  "0BSD": ["tslib"],
  // Public domain. The router imports it for rendering on a server only, so no page contains it.
  Unlicense: ["isbot"],
};

/** Tools whose own code is part of what they write: the CSS reset, and the loader of lazy pages. */
const tools = ["tailwindcss", "vite", "rolldown"];

/** Reports if a licence expression is allowed: every part of "and", one part of "or". */
export function isAllowed(name, expression) {
  const terms = expression.replace(/[()]/g, "").split(/ AND /i);
  return terms.every((term) =>
    term.split(/ OR /i).some((licence) => allowed.includes(licence) || exceptions[licence]?.includes(name) === true),
  );
}

/** The packages of a lock file that are shipped, by name and version. */
export function shippedPackages(lock) {
  const all = Object.entries(lock.packages).filter(([path]) => path !== "");
  const shipped = all.filter(([path, entry]) => (!entry.dev && !entry.devOptional) || tools.includes(nameOf(path)));
  return shipped
    .map(([path, entry]) => ({ path, name: nameOf(path), version: entry.version, licence: entry.license ?? "none" }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1));
}

function nameOf(path) {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

/** Returns the notices of all that is shipped; throws for a licence that is not allowed. */
export function notices(root = web) {
  const packages = shippedPackages(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")));
  const refused = packages.filter(({ name, licence }) => !isAllowed(name, licence));
  if (refused.length > 0) {
    const list = refused.map(({ name, version, licence }) => `  ${name} ${version}: ${licence}`).join("\n");
    throw new Error(`licences that are not allowed in what is shipped (scripts/licences.mjs):\n${list}`);
  }
  const head = "Causeway is licensed under Apache-2.0. Its web UI contains the following packages.\n";
  const parts = packages.map(({ path, name, version, licence }) => `${name} ${version} (${licence})\n\n${licenceText(join(root, path))}`);
  return [head, ...parts].join(`\n${"-".repeat(80)}\n\n`);
}

/** The licence file of a package as it came, with the file of notices where there is one. */
function licenceText(folder) {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file)).sort();
  return files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n") || "No licence file is in the package; the licence is the one named above.";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  notices();
  const packages = shippedPackages(JSON.parse(readFileSync(join(web, "package-lock.json"), "utf8")));
  console.log(`${packages.length} packages are shipped, with allowed licences only`);
}
