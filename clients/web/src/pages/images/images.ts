import type { ImageInUse, ImageUser } from "@contract/causeway/inventory/v1/resource_service_pb";

/** A tag or digest of a repository with the applications that use it. */
export interface ImageVersion {
  tag: string;
  digest: string;
  users: ImageUser[];
}

export interface Repository {
  name: string;
  versions: ImageVersion[];
  /** Applications over all versions. */
  userCount: number;
  /** The highest tag in use; undefined where tags have no order. */
  newest: string | undefined;
}

/** Groups images by repository, newest tag first; one image may come in parts over several pages. */
export function groupImages(images: readonly ImageInUse[]): Repository[] {
  const repositories = new Map<string, Map<string, ImageVersion>>();
  for (const { repository, tag, digest, applications } of images) {
    const versions = repositories.get(repository) ?? new Map<string, ImageVersion>();
    const key = `${tag}@${digest}`;
    const version = versions.get(key) ?? { tag, digest, users: [] };
    version.users.push(...applications);
    repositories.set(repository, versions.set(key, version));
  }
  return [...repositories].map(([name, versions]) => toRepository(name, [...versions.values()]));
}

function toRepository(name: string, versions: ImageVersion[]): Repository {
  versions.sort((left, right) => compareTags(right.tag, left.tag));
  const ordered = versions.filter(({ tag }) => isVersion(tag));
  return {
    name,
    versions,
    userCount: versions.reduce((sum, { users }) => sum + users.length, 0),
    newest: ordered.length > 1 ? ordered[0]?.tag : undefined,
  };
}

/** Reports if a tag is a version such as 1.9, v2.4.0 or 1.2.3-rc.1, so that it has an order. */
export function isVersion(tag: string): boolean {
  return /^v?\d+(\.\d+)+/.test(tag);
}

/** Orders tags by their numbers; of equal ones a pre-release comes before its release. */
export function compareTags(left: string, right: string): number {
  if (isVersion(left) !== isVersion(right)) return isVersion(left) ? 1 : -1;
  const [leftCore = "", leftRest = ""] = splitTag(left);
  const [rightCore = "", rightRest = ""] = splitTag(right);
  const order = byNumbers.compare(leftCore, rightCore);
  if (order !== 0) return order;
  if ((leftRest === "") !== (rightRest === "")) return leftRest === "" ? 1 : -1;
  return byNumbers.compare(leftRest, rightRest);
}

const byNumbers = new Intl.Collator("en", { numeric: true });

function splitTag(tag: string): [string, string] {
  const plain = tag.replace(/^v(?=\d)/, "");
  const dash = plain.indexOf("-");
  return dash < 0 ? [plain, ""] : [plain.slice(0, dash), plain.slice(dash + 1)];
}

/** Reports if an image runs an older version than another one of its repository. */
export function isOutdated({ tag }: ImageVersion, { newest }: Repository): boolean {
  return newest !== undefined && isVersion(tag) && compareTags(tag, newest) < 0;
}
