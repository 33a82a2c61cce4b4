//! Webhook routes: which provider sends to a route, and with which secrets. The route decides the provider, never a header.

use std::{collections::BTreeMap, fmt, path::Path, str::FromStr, sync::Arc};

use anyhow::Context as _;
use causeway_shell::ReloadedFile;
use serde::{Deserialize, Serialize};

const DEFAULT_BYTES: u64 = 1 << 20;
/// GitHub sends up to 25 MB.
const GITHUB_BYTES: u64 = 25 << 20;
/// No route takes more.
pub(crate) const LARGEST_BODY: u64 = 25 << 20;
const MAX_ROUTES: usize = 100;
const MAX_SECRETS: usize = 2;

/// Kind of the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    Github,
    Gitlab,
    BitbucketCloud,
    BitbucketDataCenter,
    AzureDevops,
    /// Gitea and Forgejo
    Gitea,
    /// Any sender with a Standard Webhooks signature
    Standard,
}

/// Name of a route: 1 to 63 of a-z, 0-9 and '-'.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RouteName(String);

/// A route, written `NAME=PROVIDER` or `NAME=PROVIDER:BYTES`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub name: RouteName,
    pub provider: Provider,
    /// The largest body.
    pub max_bytes: u64,
}

/// A text that is no route.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    #[error(
        "'{0}' is not NAME=PROVIDER: write for example github=github or shop=gitlab:2097152, with a provider of github, gitlab, bitbucket-cloud, bitbucket-data-center, azure-devops, gitea or standard"
    )]
    Form(String),
    #[error("'{0}' is not the name of a route: use 1 to 63 of a-z, 0-9 and '-'")]
    Name(String),
    #[error("route {0}: the largest body is between 1 and {LARGEST_BODY} bytes")]
    Bytes(String),
    #[error("the route '{0}' is given twice")]
    Twice(RouteName),
    #[error("there are more than {MAX_ROUTES} routes")]
    Many,
}

/// Secrets of a route that are accepted now: two during a rotation.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secrets(Vec<Vec<u8>>);

/// A file that holds no usable secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretsError {
    #[error("it has no secret: write one in a line of its own")]
    Empty,
    #[error(
        "it has more than {MAX_SECRETS} secrets: write the new one and the old one, each in a line"
    )]
    Many,
}

/// A route with its secrets.
pub(crate) struct RouteSecrets {
    pub(crate) route: Route,
    source: SecretSource,
}

enum SecretSource {
    File(ReloadedFile<Secrets>),
    #[cfg(test)]
    Fixed(Arc<Secrets>),
}

/// All routes by name.
#[derive(Default)]
pub(crate) struct Routes(BTreeMap<RouteName, RouteSecrets>);

impl Provider {
    /// The value of the flag.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::BitbucketCloud => "bitbucket-cloud",
            Self::BitbucketDataCenter => "bitbucket-data-center",
            Self::AzureDevops => "azure-devops",
            Self::Gitea => "gitea",
            Self::Standard => "standard",
        }
    }
}

impl FromStr for RouteName {
    type Err = RouteError;

    fn from_str(text: &str) -> Result<Self, RouteError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if (1..=63).contains(&text.len()) && text.bytes().all(plain) {
            return Ok(Self(text.to_owned()));
        }
        Err(RouteError::Name(text.chars().take(63).collect()))
    }
}

impl RouteName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RouteName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for Route {
    type Err = RouteError;

    fn from_str(text: &str) -> Result<Self, RouteError> {
        let wrong = || RouteError::Form(text.chars().take(100).collect());
        let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
        let (provider, bytes) = match rest.split_once(':') {
            Some((provider, bytes)) => (provider, Some(bytes)),
            None => (rest, None),
        };
        let provider: Provider = clap::ValueEnum::from_str(provider, false).map_err(|_| wrong())?;
        let max_bytes = match bytes {
            Some(bytes) => bytes.parse().map_err(|_| wrong())?,
            None if provider == Provider::Github => GITHUB_BYTES,
            None => DEFAULT_BYTES,
        };
        if !(1..=LARGEST_BODY).contains(&max_bytes) {
            return Err(RouteError::Bytes(name.chars().take(63).collect()));
        }
        Ok(Self {
            name: name.parse()?,
            provider,
            max_bytes,
        })
    }
}

impl Secrets {
    /// Reads one secret per line. An empty one would let everybody in, so it is refused.
    pub fn parse(text: &[u8]) -> Result<Self, SecretsError> {
        let lines = text.split(|byte| *byte == b'\n');
        let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let secrets: Vec<_> = lines
            .filter(|line| !line.iter().all(u8::is_ascii_whitespace))
            .map(<[u8]>::to_vec)
            .collect();
        match secrets.len() {
            0 => Err(SecretsError::Empty),
            1..=MAX_SECRETS => Ok(Self(secrets)),
            _ => Err(SecretsError::Many),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }

    pub(crate) fn first(&self) -> Option<&[u8]> {
        self.iter().next()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Secrets({})", self.0.len())
    }
}

impl RouteSecrets {
    /// The secrets, at most 10 s old.
    pub(crate) fn secrets(&self) -> Arc<Secrets> {
        match &self.source {
            SecretSource::File(file) => file.current(),
            #[cfg(test)]
            SecretSource::Fixed(secrets) => Arc::clone(secrets),
        }
    }
}

impl Routes {
    /// Opens the routes with the file of each in `folder`, which has the name of its route.
    ///
    /// # Errors
    /// A route is given twice, or its file has no secret.
    pub(crate) fn open(routes: Vec<Route>, folder: Option<&Path>) -> anyhow::Result<Self> {
        let mut table = Self::default();
        for route in routes {
            let folder = folder.context("--webhook-route needs --webhook-secrets")?;
            let file = folder.join(route.name.as_str());
            let named = || format!("--webhook-secrets {}", file.display());
            let read = |text: &[u8]| Ok(Secrets::parse(text)?);
            let source = SecretSource::File(ReloadedFile::open(&file, read).with_context(named)?);
            table.add(RouteSecrets { route, source })?;
        }
        Ok(table)
    }

    #[cfg(test)]
    pub(crate) fn fixed(routes: &[(&str, &str)]) -> Self {
        let mut table = Self::default();
        for (route, secrets) in routes {
            let secrets = Secrets::parse(secrets.as_bytes()).unwrap();
            let source = SecretSource::Fixed(Arc::new(secrets));
            let route = route.parse().unwrap();
            table.add(RouteSecrets { route, source }).unwrap();
        }
        table
    }

    fn add(&mut self, route: RouteSecrets) -> Result<(), RouteError> {
        let name = route.route.name.clone();
        if self.0.len() == MAX_ROUTES {
            return Err(RouteError::Many);
        }
        match self.0.insert(name.clone(), route) {
            Some(_) => Err(RouteError::Twice(name)),
            None => Ok(()),
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&RouteSecrets> {
        self.0.get(&RouteName(name.to_owned()))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &RouteSecrets> {
        self.0.values()
    }
}

#[cfg(test)]
mod tests;
