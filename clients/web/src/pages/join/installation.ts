/** What an installation of a runtime is made with. */
export interface Installation {
  name: string;
  namespace: string;
  /** The platform's address as the runtime reaches it. */
  platform: string;
  argocd: "existing" | "new";
  /** Namespace of the existing Argo CD; empty where Helm finds it by its labels. */
  argocdNamespace: string;
  /** HTTP proxy that leads out of the cluster. */
  proxy: string;
  /** Secret with CA certificates that vouch for the platform. */
  caSecret: string;
  chart: string;
}

export const initialInstallation: Omit<Installation, "platform"> = {
  name: "",
  namespace: "causeway",
  argocd: "existing",
  argocdNamespace: "",
  proxy: "",
  caSecret: "",
  chart: "helm/causeway-runtime",
};

/** Returns what is wrong with a name, or undefined. */
export function nameError(name: string, taken: readonly string[]): string | undefined {
  if (name === "") return undefined;
  if (name.length > 63) return "A name has at most 63 characters.";
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name)) return "A name has a-z, 0-9 and -, and starts and ends with a letter or digit.";
  return taken.includes(name) ? `A runtime ${name} has joined. Use another name, or its rejoin token.` : undefined;
}

/** Writes the values of the chart as flags of Helm, equal to those that the command line prints. */
export function helmCommand(installation: Installation, token: string): string {
  const { name, namespace, platform, argocd, argocdNamespace, proxy, caSecret, chart } = installation;
  const values: [boolean, string, string][] = [
    [argocd === "new", "--set-json", "argo-cd.enabled=true"],
    [argocd === "existing" && argocdNamespace !== "", "--set-string", `argocd.namespace=${escaped(argocdNamespace)}`],
    [caSecret !== "", "--set-string", `ca.existingSecret=${escaped(caSecret)}`],
    [platform.startsWith("http://"), "--set-json", "platform.plaintext=true"],
    [true, "--set-string", `platform.url=${escaped(platform)}`],
    [proxy !== "", "--set-string", `proxy.url=${escaped(proxy)}`],
    [true, "--set-string", `joinToken.value=${token}`],
  ];
  return [
    `helm upgrade --install ${quoted(name)} ${quoted(chart)}`,
    `--namespace ${quoted(namespace)} --create-namespace`,
    ...values.filter(([isSet]) => isSet).map(([, flag, value]) => `${flag} ${quoted(value)}`),
  ].join(" \\\n  ");
}

/** The command that does all of it from a terminal of a signed-in user, and waits for the end. */
export function installCommand(installation: Installation): string {
  const { name, namespace, platform, argocd, argocdNamespace, proxy, caSecret } = installation;
  const words = [
    `causeway runtime install ${name || "NAME"} --platform-url ${quoted(platform)}`,
    namespace === initialInstallation.namespace ? "" : `--namespace ${quoted(namespace)}`,
    argocd === "new" ? "--new-argocd" : "",
    argocd === "existing" && argocdNamespace ? `--argocd-namespace ${quoted(argocdNamespace)}` : "",
    proxy ? `--proxy ${quoted(proxy)}` : "",
    caSecret ? `--ca-secret ${quoted(caSecret)}` : "",
  ];
  return words.filter(Boolean).join(" ");
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll(",", "\\,");
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return /^[A-Za-z0-9\-_./:=@,]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
