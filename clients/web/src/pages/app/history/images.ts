import { imageName } from "../parameters/source";

/** An image that a deployment changed, by the last part of its name. */
export interface ImageChange {
  name: string;
  /** Tags or short digests; undefined where the image came or went. */
  from: string | undefined;
  to: string | undefined;
}

/** Returns which images differ, by their repositories. */
export function imageChanges(before: readonly string[], after: readonly string[]): ImageChange[] {
  const old = versionsOf(before);
  const now = versionsOf(after);
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
  return names.map((name) => ({ name: name.split("/").at(-1) ?? name, from: old.get(name), to: now.get(name) }));
}

/** Versions by repository; several of one repository stand together. */
function versionsOf(images: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const image of [...images].sort()) {
    const name = imageName(image);
    const version = image.slice(name.length).replace(/^[:@]/, "").replace(/^(?:(.+)@)?sha256:([0-9a-f]{7})[0-9a-f]*$/, (_, tag: string | undefined, digest: string) => tag ?? digest);
    found.set(name, found.has(name) ? `${found.get(name)}, ${version || "latest"}` : version || "latest");
  }
  return found;
}
