//! Links to commits and authors, built from the repository URL without any request. E-mail addresses and their hashes never
//! become part of a link.

use std::str::FromStr;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// Characters that would end a URL or one of its segments. Percent signs pass, since they start encoded bytes.
const UNSAFE: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'\'')
    .add(b'<')
    .add(b'>')
    .add(b'`')
    .add(b'#')
    .add(b'?')
    .add(b'\\');

/// Product of a Git server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum GitHostKind {
    Github,
    Gitlab,
    /// bitbucket.org
    Bitbucket,
    /// Bitbucket Data Center
    BitbucketServer,
    /// Gitea and Forgejo
    Gitea,
    AzureDevops,
}

/// Self-hosted Git server, written HOST=KIND.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHost {
    host: String,
    kind: GitHostKind,
}

/// Malformed HOST=KIND.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' names no Git server: use HOST=KIND with github, gitlab, bitbucket, bitbucket-server, gitea or azure-devops, for example git.example.com=gitlab"
)]
pub struct GitHostError(String);

/// Known Git servers: public providers and self-hosted ones.
#[derive(Debug, Clone, Default)]
pub struct GitHosts(Vec<GitHost>);

/// Parsed repository URL.
struct Address {
    scheme: &'static str,
    /// Includes the port.
    host: String,
    path: Vec<String>,
}

impl FromStr for GitHost {
    type Err = GitHostError;

    fn from_str(text: &str) -> Result<Self, GitHostError> {
        let wrong = || GitHostError(text.to_owned());
        let (host, kind) = text.split_once('=').ok_or_else(wrong)?;
        let kind = clap::ValueEnum::from_str(kind, true).map_err(|_| wrong())?;
        let named = !host.is_empty() && !host.contains(['/', '@', ' ']);
        named.then_some(()).ok_or_else(wrong)?;
        Ok(Self {
            host: host.to_ascii_lowercase(),
            kind,
        })
    }
}

impl GitHosts {
    /// Adds self-hosted servers to the public providers.
    pub fn new(own: Vec<GitHost>) -> Self {
        Self(own)
    }

    /// URL of a commit; empty for unknown hosts.
    pub fn commit(&self, repository: &str, revision: &str) -> String {
        let page = || {
            let address = Address::read(repository)?;
            let kind = self.kind(&address.host)?;
            is_hash(revision).then_some(())?;
            address.commit(kind, revision)
        };
        page().unwrap_or_default()
    }

    /// Avatar URL of an author, `Name <address>`, if the address is the provider's noreply address of a user.
    pub fn avatar(&self, repository: &str, author: &str) -> String {
        let picture = || {
            let address = Address::read(repository)?;
            let user = user(self.kind(&address.host)?, author)?;
            let Address { scheme, host, .. } = &address;
            Some(format!("{scheme}://{host}/{user}.png"))
        };
        picture().unwrap_or_default()
    }

    fn kind(&self, host: &str) -> Option<GitHostKind> {
        let name = host.split(':').next().unwrap_or_default();
        let own = self.0.iter().find(|it| it.host == host || it.host == name);
        if let Some(own) = own {
            return Some(own.kind);
        }
        match name {
            "github.com" => Some(GitHostKind::Github),
            "gitlab.com" => Some(GitHostKind::Gitlab),
            "bitbucket.org" => Some(GitHostKind::Bitbucket),
            "gitea.com" | "codeberg.org" => Some(GitHostKind::Gitea),
            "dev.azure.com" | "ssh.dev.azure.com" => Some(GitHostKind::AzureDevops),
            name if name.ends_with(".visualstudio.com") => Some(GitHostKind::AzureDevops),
            _ => None,
        }
    }
}

/// The user of an address of a provider that hides the real one: `12345+ann@users.noreply.github.com`, `ann@noreply.HOST`.
fn user(kind: GitHostKind, author: &str) -> Option<&str> {
    let mail = author.rsplit_once('<')?.1.strip_suffix('>')?;
    let (local, host) = mail.split_once('@')?;
    let (hidden, user) = match kind {
        GitHostKind::Github => {
            let user = local.split_once('+').map_or(local, |(_, user)| user);
            (host.starts_with("users.noreply."), user)
        }
        GitHostKind::Gitea => (host.starts_with("noreply."), local),
        GitHostKind::Gitlab
        | GitHostKind::Bitbucket
        | GitHostKind::BitbucketServer
        | GitHostKind::AzureDevops => return None,
    };
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    let named = !user.is_empty() && user.chars().all(plain) && !user.starts_with('.');
    (hidden && named).then_some(user)
}

fn is_hash(revision: &str) -> bool {
    (7..=64).contains(&revision.len()) && revision.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Address {
    /// `https://HOST/PATH`, `ssh://git@HOST/PATH` or `git@HOST:PATH`.
    fn read(text: &str) -> Option<Self> {
        let (scheme, rest) = match text.split_once("://") {
            Some(("https", rest)) => ("https", rest),
            Some(("http", rest)) => ("http", rest),
            Some(("ssh", rest)) => ("ssh", rest),
            Some(_) => return None,
            None => ("scp", text),
        };
        let separator = if scheme == "scp" { ':' } else { '/' };
        let (authority, path) = rest.split_once(separator)?;
        let host = authority.rsplit('@').next()?.to_ascii_lowercase();
        // The port of SSH is not that of the pages.
        let host = match scheme {
            "ssh" => host.split(':').next()?.to_owned(),
            _ => host,
        };
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let steps = path.split('/').filter(|step| !step.is_empty());
        let path: Vec<_> = steps
            .map(|step| utf8_percent_encode(step, UNSAFE).to_string())
            .collect();
        let plain = |it: char| it.is_ascii_alphanumeric() || "-.:[]".contains(it);
        let usable = !host.is_empty() && host.chars().all(plain) && path.len() >= 2;
        usable.then_some(Self {
            scheme: if scheme == "http" { "http" } else { "https" },
            host,
            path,
        })
    }

    fn commit(&self, kind: GitHostKind, revision: &str) -> Option<String> {
        let path = self.path.join("/");
        let page = match kind {
            GitHostKind::Github | GitHostKind::Gitea => format!("{path}/commit/{revision}"),
            GitHostKind::Gitlab => format!("{path}/-/commit/{revision}"),
            GitHostKind::Bitbucket => format!("{path}/commits/{revision}"),
            GitHostKind::BitbucketServer => self.on_bitbucket_server(revision)?,
            GitHostKind::AzureDevops => return self.on_azure(revision),
        };
        Some(format!("{}://{}/{page}", self.scheme, self.host))
    }

    /// `[CONTEXT/]scm/PROJECT/REPOSITORY`, over SSH without `scm`; a person's project is `~PERSON`.
    fn on_bitbucket_server(&self, revision: &str) -> Option<String> {
        let (repository, rest) = self.path.split_last()?;
        let (project, context) = rest.split_last()?;
        let context = context.strip_suffix(&["scm".to_owned()]).unwrap_or(context);
        let owner = match project.strip_prefix('~') {
            Some(person) => ["users", person],
            None => ["projects", project],
        };
        let tail = ["repos", repository, "commits", revision];
        let context = context.iter().map(String::as_str);
        Some(
            context
                .chain(owner)
                .chain(tail)
                .collect::<Vec<_>>()
                .join("/"),
        )
    }

    /// `ORGANISATION/PROJECT/_git/REPOSITORY`, over SSH `v3/ORGANISATION/PROJECT/REPOSITORY`.
    fn on_azure(&self, revision: &str) -> Option<String> {
        if let [version, organisation, project, repository] = &self.path[..]
            && version == "v3"
        {
            let path = [organisation, project, "_git", repository].join("/");
            return Some(format!("https://dev.azure.com/{path}/commit/{revision}"));
        }
        let path = self.path.join("/");
        let over_git = self.path.iter().any(|step| step == "_git");
        let page = format!("{}://{}/{path}/commit/{revision}", self.scheme, self.host);
        over_git.then_some(page)
    }
}

#[cfg(test)]
mod tests;
