interface ScriptPolicy {
  createScriptURL: (url: string) => unknown;
}

interface PolicyFactory {
  createPolicy: (name: string, rules: { createScriptURL: (url: string) => string }) => ScriptPolicy;
}

let policy: ScriptPolicy | undefined;

/** Passes the address of a worker through the one Trusted Types policy, which accepts this origin only. */
export function workerUrl(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
  if (!trustedTypes) return ownAddress(url);
  policy ??= trustedTypes.createPolicy("causeway", { createScriptURL: ownAddress });
  return policy.createScriptURL(url) as string;
}

function ownAddress(url: string): string {
  const { origin } = new URL(url, location.href);
  if (origin !== location.origin) throw new TypeError(`a worker of another origin: ${origin}`);
  return url;
}
