//! The API of a Git host: which client, at which URL, and how a repository is called there.

use causeway_git_provider::{
    ApiUrl, AzureCredential, AzureDevOps, BitbucketCloud, BitbucketCredential, BitbucketDataCenter,
    Connection, GitHub, GitHubCredential, GitLab, Gitea, Http, PlainGit, Priority, ProviderError,
    RepositoryName,
};

use super::{
    Integration, Provider, RepositoryError,
    integration::{ApiToken, TokenKind},
};

/// The folder of repositories in URLs of Bitbucket Data Center; its context path stands before it.
const SCM: &str = "scm";
/// Stands before the name of a repository in URLs of Azure DevOps.
const GIT: &str = "_git";
/// The host whose organisations are the first segment of a path.
const AZURE: &str = "dev.azure.com";

/// A client for the API of a host.
pub(super) type Host = Box<dyn causeway_git_provider::Provider>;

/// Where an API is, and how a repository is called there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ApiPlace {
    pub(super) url: String,
    /// Absent for the URL of an integration, which may name a part of it.
    pub(super) repository: Option<String>,
    /// First segment of the path, the workspace of Bitbucket Cloud.
    workspace: String,
}

/// Opens a client. Plain Git has one that refuses every call.
pub(super) fn connect(
    integration: &Integration,
    token: Option<&ApiToken>,
    place: &ApiPlace,
    http: Http,
) -> Result<Host, RepositoryError> {
    if integration.provider == Provider::Git {
        return Ok(Box::new(PlainGit));
    }
    let token = token.ok_or(RepositoryError::SshKey)?;
    let connection = Connection {
        url: ApiUrl::parse(&place.url, http).map_err(RepositoryError::Host)?,
        priority: Priority::User,
        ca: None,
    };
    let opened = open(integration.provider, connection, token, &place.workspace);
    opened.map_err(RepositoryError::Host)
}

fn open(
    provider: Provider,
    connection: Connection,
    token: &ApiToken,
    workspace: &str,
) -> Result<Host, ProviderError> {
    let secret = &token.token;
    Ok(match provider {
        Provider::Git => Box::new(PlainGit),
        Provider::Gitea => Box::new(Gitea::new(connection, secret)?),
        Provider::Gitlab => Box::new(GitLab::new(connection, secret)?),
        Provider::Github => {
            let credential = GitHubCredential::Token(secret.clone());
            Box::new(GitHub::new(connection, &credential)?)
        }
        Provider::BitbucketDataCenter => Box::new(BitbucketDataCenter::new(connection, secret)?),
        Provider::BitbucketCloud => {
            let credential = bitbucket_credential(token);
            Box::new(BitbucketCloud::new(connection, workspace, &credential)?)
        }
        Provider::AzureDevops => {
            let credential = azure_credential(token);
            Box::new(AzureDevOps::new(connection, &credential)?)
        }
    })
}

/// Tokens of a user go with the e-mail address of the account.
fn bitbucket_credential(token: &ApiToken) -> BitbucketCredential {
    let (email, token) = (token.user.clone(), token.token.clone());
    if email.contains('@') {
        BitbucketCredential::ApiToken { email, token }
    } else {
        BitbucketCredential::AccessToken(token)
    }
}

fn azure_credential(token: &ApiToken) -> AzureCredential {
    match token.kind {
        TokenKind::Jwt => AzureCredential::Entra(token.token.clone()),
        TokenKind::Opaque => AzureCredential::PersonalToken(token.token.clone()),
    }
}

/// Finds the API of an integration, and the name of a repository under it.
pub(super) fn place(integration: &Integration, repository: Option<&str>) -> ApiPlace {
    let text = repository.unwrap_or(&integration.url);
    let (origin, path) = split_origin(text);
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (base, name) = match integration.provider {
        Provider::BitbucketDataCenter => split_data_center(&segments),
        Provider::AzureDevops => split_azure(origin, &segments),
        Provider::Git
        | Provider::Github
        | Provider::Gitlab
        | Provider::BitbucketCloud
        | Provider::Gitea => (Vec::new(), segments.join("/")),
    };
    let mut url = origin.to_owned();
    for segment in base {
        url = format!("{url}/{segment}");
    }
    let workspace = segments.first().map(|first| (*first).to_owned());
    ApiPlace {
        url,
        repository: repository.map(|_| name),
        workspace: workspace.unwrap_or_default(),
    }
}

impl ApiPlace {
    /// The name of the repository, checked.
    pub(super) fn name(&self) -> Result<RepositoryName, RepositoryError> {
        let name = RepositoryName::parse(self.repository.as_deref().unwrap_or_default());
        name.map_err(|error| RepositoryError::Host(error.into()))
    }
}

fn split_origin(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find('/').map_or(url.len(), |at| host + at);
    url.split_at(end)
}

/// The context path, and the project with the repository.
fn split_data_center<'a>(segments: &[&'a str]) -> (Vec<&'a str>, String) {
    match segments.iter().position(|segment| *segment == SCM) {
        Some(at) => (segments[..at].to_vec(), segments[at + 1..].join("/")),
        None => (Vec::new(), segments.join("/")),
    }
}

/// The organisation or collection, and the project with the repository. A repository may be named like its project.
fn split_azure<'a>(origin: &str, segments: &[&'a str]) -> (Vec<&'a str>, String) {
    let is_cloud = origin.ends_with(AZURE);
    match segments.iter().position(|segment| *segment == GIT) {
        Some(at) => {
            let name = segments.get(at + 1).copied().unwrap_or_default();
            let has_project = if is_cloud { at > 1 } else { at > 2 };
            let base = if has_project { at - 1 } else { at };
            let project = if has_project { segments[at - 1] } else { name };
            (segments[..base].to_vec(), format!("{project}/{name}"))
        }
        None if is_cloud => (segments.iter().take(1).copied().collect(), String::new()),
        None => (segments.to_vec(), String::new()),
    }
}

#[cfg(test)]
mod tests;
