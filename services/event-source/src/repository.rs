//! Repositories by their URL, compared as hosts mean them: without scheme, user, port, `.git` and case.

use serde::{Deserialize, Serialize};

const LONGEST: usize = 1024;

/// A repository as it is compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Repository {
    /// None if the sender named only the path.
    host: Option<String>,
    path: String,
}

impl Repository {
    /// Reads `https://[USER@]HOST[:PORT]/PATH`, `ssh://…` or `USER@HOST:PATH`.
    pub fn parse(url: &str) -> Option<Self> {
        let url = url.trim();
        if url.len() > LONGEST || url.chars().any(char::is_control) {
            return None;
        }
        let (authority, path) = match url.split_once("://") {
            Some(("http" | "https" | "ssh" | "git", rest)) => rest.split_once('/')?,
            Some(_) => return None,
            None => url.split_once(':')?,
        };
        let host = authority.rsplit('@').next()?;
        let host = host.split(':').next()?.to_ascii_lowercase();
        let (host, path) = with_azure_names(host, normal_path(path)?);
        (!host.is_empty()).then_some(Self {
            host: Some(host),
            path,
        })
    }

    /// A repository of any host with this path.
    pub fn anywhere(path: &str) -> Option<Self> {
        (path.len() <= LONGEST).then_some(())?;
        Some(Self {
            host: None,
            path: normal_path(path)?,
        })
    }

    /// True if both are the same repository, as far as both are named.
    pub fn is(&self, other: &Self) -> bool {
        let same_host = match (&self.host, &other.host) {
            (Some(own), Some(other)) => own == other,
            (None, _) | (_, None) => true,
        };
        same_host && self.path == other.path
    }

    /// A URL for people.
    pub fn to_url(&self) -> String {
        match &self.host {
            Some(host) => format!("https://{host}/{}", self.path),
            None => self.path.clone(),
        }
    }
}

fn normal_path(path: &str) -> Option<String> {
    let path = path.split(['?', '#']).next()?.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).to_lowercase();
    let mut steps: Vec<_> = path.split('/').filter(|step| !step.is_empty()).collect();
    // Bitbucket Data Center has `scm` in its HTTP paths only.
    if steps.len() >= 3
        && let Some(scm) = steps.iter().position(|step| *step == "scm")
        && scm + 3 == steps.len()
    {
        steps.remove(scm);
    }
    (!steps.is_empty()).then(|| steps.join("/"))
}

/// `ssh.dev.azure.com:v3/O/P/R` and `O.visualstudio.com/P/_git/R` are `dev.azure.com/O/P/_git/R`.
fn with_azure_names(host: String, path: String) -> (String, String) {
    const AZURE: &str = "dev.azure.com";
    if host == "ssh.dev.azure.com"
        && let [_, organisation, project, repository] =
            path.split('/').collect::<Vec<_>>().as_slice()
    {
        let path = format!("{organisation}/{project}/_git/{repository}");
        return (AZURE.to_owned(), path);
    }
    match host.strip_suffix(".visualstudio.com") {
        Some(organisation) => {
            let path = path.strip_prefix("defaultcollection/").unwrap_or(&path);
            (AZURE.to_owned(), format!("{organisation}/{path}"))
        }
        None => (host, path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_one_repository_are_equal_however_they_are_written() {
        let same = [
            [
                "https://git.example.com/Shop/Web.git",
                "ssh://git@GIT.example.com:7999/shop/web",
            ],
            [
                "git@github.com:acme/shop.git",
                "https://user:token@github.com/acme/shop/",
            ],
            ["http://localhost:3000/a/b", "git@localhost:a/b.git"],
            [
                "https://bb.example/scm/shop/web.git",
                "ssh://git@bb.example:7999/shop/web.git",
            ],
            [
                "https://bb.example/git/scm/~ann/web.git",
                "https://bb.example/git/~ann/web",
            ],
            [
                "git@ssh.dev.azure.com:v3/org/project/repo",
                "https://org@dev.azure.com/org/project/_git/repo",
            ],
            [
                "https://org.visualstudio.com/DefaultCollection/project/_git/repo",
                "https://dev.azure.com/org/project/_git/repo",
            ],
        ];
        for [one, other] in same {
            let parse = |url| Repository::parse(url).unwrap();
            assert!(parse(one).is(&parse(other)), "{one} {other}");
        }
    }

    #[test]
    fn other_hosts_and_paths_are_other_repositories() {
        let web = Repository::parse("https://git.example.com/shop/web").unwrap();
        for other in [
            "https://git.example.com/shop/web2",
            "https://git.example.com/shop",
            "https://git.example.com/shop/web/x",
            "https://git.example.org/shop/web",
        ] {
            assert!(!web.is(&Repository::parse(other).unwrap()), "{other}");
        }
        assert!(web.is(&Repository::anywhere("SHOP/web").unwrap()));
        for wrong in [
            "",
            "web",
            "file:///shop/web",
            "ext::sh -c x",
            "https://",
            "https://a",
        ] {
            let parsed = Repository::parse(wrong);
            assert!(
                parsed.as_ref().is_none_or(|it| !web.is(it)),
                "{wrong} {parsed:?}"
            );
        }
    }
}
