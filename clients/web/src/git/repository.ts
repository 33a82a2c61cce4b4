import type { Integration } from "@contract/causeway/git/v1/integration_service_pb";

/** Returns the URL of a repository by which an integration reaches it; undefined where it does not. */
export function repositoryBy({ url }: Pick<Integration, "url">, repository: string): string | undefined {
  if (repository.startsWith(`${url}/`) && repository.length > url.length + 1) return repository;
  const base = placeOf(url);
  const place = placeOf(repository);
  if (base === undefined || place === undefined) return undefined;
  const isSameHost = base.host === place.host;
  const isBelow = base.path === "" || place.path.startsWith(`${base.path}/`);
  return isSameHost && isBelow && place.path.length > base.path.length ? `${url}/${trimmed(place.path.slice(base.path.length))}` : undefined;
}

/** The integrations that reach a repository, the one with the longest URL first. */
export function fitting(integrations: readonly Integration[], repository: string): Integration[] {
  return integrations.filter((each) => repositoryBy(each, repository) !== undefined).sort((a, b) => b.url.length - a.url.length);
}

interface Place {
  host: string;
  /** Begins with a slash, or is empty. */
  path: string;
}

/** Reads where a repository lies, whichever way it is reached: https, ssh, or user@host:path. */
function placeOf(url: string): Place | undefined {
  const short = /^[\w.-]+@([\w.-]+):(?!\/)(.+)$/.exec(url);
  if (short) return { host: short[1]?.toLowerCase() ?? "", path: pathOf(short[2] ?? "") };
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port, pathname } = new URL(url);
  // Ports differ between https and ssh; among equal protocols they count.
  return { host: protocol === "ssh:" ? hostname.toLowerCase() : `${hostname}${port ? `:${port}` : ""}`.toLowerCase(), path: pathOf(pathname) };
}

function pathOf(path: string): string {
  const inner = trimmed(path);
  return inner === "" ? "" : `/${inner}`;
}

function trimmed(path: string): string {
  return path.replace(/^\/+|\/+$/g, "");
}

/** Says what is wrong with the URL of an integration, as the runtime would. */
export function urlProblem(url: string): string | undefined {
  if (url === "") return undefined;
  const isPlainLoopback = /^http:\/\/(127\.|localhost[:/]|\[::1\])/.test(`${url}/`);
  if (!/^(https|ssh):\/\//.test(url) && !isPlainLoopback) return "It must begin with https:// or ssh://.";
  const [authority = ""] = url.replace(/^\w+:\/\//, "").split("/");
  if (url.startsWith("ssh://") && !/^[^@]+@[^@]+$/.test(authority)) return "SSH needs a user name, as in ssh://git@git.example.com.";
  if (!url.startsWith("ssh://") && authority.includes("@")) return "It has a user or a password. They belong into the credential.";
  return /[\s?#%]/.test(url) ? "It must have no query, fragment, blank or escaped character." : undefined;
}
