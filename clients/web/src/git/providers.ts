import { Provider } from "@contract/causeway/git/v1/integration_service_pb";

/** What one must know of a Git host to give Causeway a credential for it. */
export interface ProviderFacts {
  provider: Provider;
  /** The word of the command line. */
  word: string;
  name: string;
  /** The usual address; empty for hosts that each company runs itself. */
  url: string;
  example: string;
  /** The user name that the host expects beside a token. */
  user: string;
  /** What of it counts. */
  userHint: string;
  /** Which token suffices. */
  token: string;
  /** Whether an SSH key can push, and what to make of it. */
  ssh: string;
  /** The web page of a commit. */
  commit: ((repository: URL, sha: string) => string) | undefined;
}

const below = (path: string) => (repository: URL, sha: string) => `${repository.origin}${webPath(repository)}/${path}/${sha}`;

/** The seven kinds of hosts, in the order of their choice. */
export const providers: readonly ProviderFacts[] = [
  {
    provider: Provider.GITHUB,
    word: "github",
    name: "GitHub",
    url: "https://github.com",
    example: "https://github.com/ORGANISATION",
    user: "x-access-token",
    userHint: "With a token GitHub expects x-access-token.",
    token: "A fine-grained token with Contents: read and write on the repositories. Add Pull requests: read and write to open pull requests.",
    ssh: "A deploy key with write access, which counts for one repository.",
    commit: below("commit"),
  },
  {
    provider: Provider.GITLAB,
    word: "gitlab",
    name: "GitLab",
    url: "https://gitlab.com",
    example: "https://gitlab.com/GROUP",
    user: "oauth2",
    userHint: "With a token GitLab expects oauth2.",
    token: "A project or group access token with the scope api and the role Developer; Maintainer where the branch is protected. The scope write_repository suffices to commit.",
    ssh: "A deploy key with write permission.",
    commit: below("-/commit"),
  },
  {
    provider: Provider.BITBUCKET_CLOUD,
    word: "bitbucket-cloud",
    name: "Bitbucket Cloud",
    url: "https://bitbucket.org",
    example: "https://bitbucket.org/WORKSPACE",
    user: "x-token-auth",
    userHint: "With an access token x-token-auth, with an API token x-bitbucket-api-token-auth.",
    token: "A repository, project or workspace access token with repositories: write. App passwords are gone.",
    ssh: "Access keys only read at Bitbucket Cloud. Use a token.",
    commit: below("commits"),
  },
  {
    provider: Provider.BITBUCKET_DATA_CENTER,
    word: "bitbucket-data-center",
    name: "Bitbucket Data Center",
    url: "",
    example: "https://bitbucket.example.com/scm/PROJECT",
    user: "x-token-auth",
    userHint: "With an access token x-token-auth, with a password the name of its user.",
    token: "An HTTP access token of the project or repository with repository write.",
    ssh: "An access key of the project or repository with write permission.",
    commit: dataCenterCommit,
  },
  {
    provider: Provider.AZURE_DEVOPS,
    word: "azure-devops",
    name: "Azure DevOps",
    url: "https://dev.azure.com",
    example: "https://dev.azure.com/ORGANISATION/PROJECT/_git",
    user: "causeway",
    userHint: "Azure DevOps accepts any name with a token.",
    token: "A personal access token with the scope Code: read and write.",
    ssh: "Azure DevOps has no deploy keys: the key belongs to a user.",
    commit: below("commit"),
  },
  {
    provider: Provider.GITEA,
    word: "gitea",
    name: "Gitea or Forgejo",
    url: "",
    example: "https://git.example.com/ORGANISATION",
    user: "causeway",
    userHint: "Any name with a token, the name of its user with a password.",
    token: "A token with repository: read and write.",
    ssh: "A deploy key with write access, which counts for one repository.",
    commit: below("commit"),
  },
  {
    provider: Provider.GIT,
    word: "git",
    name: "Git over HTTPS or SSH",
    url: "",
    example: "https://git.example.com",
    user: "causeway",
    userHint: "The user whose password or token it is.",
    token: "The password or token of a user that may push. Such a host has no pull requests.",
    ssh: "The key of a user that may push.",
    commit: undefined,
  },
];

export function factsOf(provider: Provider): ProviderFacts | undefined {
  return providers.find((each) => each.provider === provider);
}

/** Returns the web page of a commit; undefined where the host has none that is known. */
export function commitUrl(provider: Provider, repository: string, sha: string): string | undefined {
  if (!/^https?:/.test(repository) || !URL.canParse(repository)) return undefined;
  return factsOf(provider)?.commit?.(new URL(repository), sha);
}

function webPath({ pathname }: URL): string {
  return pathname.replace(/\/$/, "").replace(/\.git$/, "");
}

/** Clones lie under /scm/PROJECT/REPOSITORY, pages under /projects/PROJECT/repos/REPOSITORY. */
function dataCenterCommit(repository: URL, sha: string): string {
  const page = webPath(repository).replace(/\/scm\/([^/]+)\/([^/]+)$/, "/projects/$1/repos/$2");
  return `${repository.origin}${page}/commits/${sha}`;
}
