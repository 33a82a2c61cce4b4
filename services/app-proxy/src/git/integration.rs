//! An integration: a Git host with a credential, sealed to the runtime.

use std::{fmt, str::FromStr};

use causeway_assertion::{SealPurpose, Sealed, SigningKey as SealingKey};
use causeway_git::{Credential, SigningKey};
use causeway_git_provider::Secret;
use causeway_proto::ids::RuntimeId;
use sha2::{Digest as _, Sha256};

use super::RepositoryError;
use crate::convert;

/// Names the kind of sealed secrets.
const SEAL_INFO: &[u8] = b"causeway.git.v1.Credential";
const LONGEST_NAME: usize = 40;

/// Kind of a Git host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Provider {
    Git,
    Github,
    Gitlab,
    BitbucketCloud,
    BitbucketDataCenter,
    AzureDevops,
    Gitea,
}

/// A valid name of an integration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct IntegrationName(String);

/// An integration without its credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Integration {
    pub(crate) name: IntegrationName,
    pub(crate) provider: Provider,
    /// Repositories lie under it; without a slash at the end.
    pub(crate) url: String,
    /// Milliseconds since 1970.
    pub(crate) created_at: i64,
    pub(crate) created_by: String,
}

/// An integration to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewIntegration {
    pub(crate) name: IntegrationName,
    pub(crate) provider: Provider,
    pub(crate) url: String,
    pub(crate) credential: SealedSecret,
}

/// A token with the user name that it was stored with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiToken {
    pub(crate) user: String,
    pub(crate) token: Secret,
    pub(crate) kind: TokenKind,
}

/// The kind of a token, as its text shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// Three parts with dots between them, as identity providers issue it.
    Jwt,
    Opaque,
}

/// An opened credential.
#[derive(Debug)]
pub(crate) struct OpenCredential {
    pub(crate) credential: Credential,
    /// Signs commits.
    pub(crate) signing_key: Option<SigningKey>,
}

/// A sealed credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SealedSecret(pub(crate) Sealed);

impl Provider {
    pub(crate) const ALL: [Self; 7] = [
        Self::Git,
        Self::Github,
        Self::Gitlab,
        Self::BitbucketCloud,
        Self::BitbucketDataCenter,
        Self::AzureDevops,
        Self::Gitea,
    ];
}

impl fmt::Display for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Git => "git",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::BitbucketCloud => "bitbucket-cloud",
            Self::BitbucketDataCenter => "bitbucket-data-center",
            Self::AzureDevops => "azure-devops",
            Self::Gitea => "gitea",
        })
    }
}

impl Integration {
    /// Refuses a repository of another host.
    pub(super) fn check_covers(&self, repository: Option<&str>) -> Result<(), RepositoryError> {
        if repository.is_none_or(|repository| self.covers(repository)) {
            return Ok(());
        }
        Err(RepositoryError::OtherHost {
            integration: self.name.to_string(),
            url: self.url.clone(),
        })
    }

    /// Whether a repository lies under the URL, so that its host is the credential's.
    pub(super) fn covers(&self, repository: &str) -> bool {
        let below = repository.strip_prefix(&self.url);
        below.is_some_and(|path| path.len() > 1 && path.starts_with('/'))
    }
}

impl NewIntegration {
    /// Checks that the credential opens.
    pub(super) fn open(
        &self,
        key: &SealingKey,
        runtime: &RuntimeId,
    ) -> Result<(), RepositoryError> {
        let place = (&self.name, self.provider, self.url.as_str());
        self.credential.open_at(key, runtime, place).map(drop)
    }
}

impl SealedSecret {
    /// Names the credential, and changes with it.
    pub(super) fn id(&self) -> String {
        let digest = Sha256::digest(&self.0.ciphertext);
        let hex = digest.iter().take(8).map(|byte| format!("{byte:02x}"));
        hex.collect()
    }

    pub(super) fn open(
        &self,
        key: &SealingKey,
        runtime: &RuntimeId,
        of: &Integration,
    ) -> Result<OpenCredential, RepositoryError> {
        self.open_at(key, runtime, (&of.name, of.provider, &of.url))
    }

    /// The same for the API of the host; none if it is an SSH key.
    pub(super) fn open_token(
        &self,
        key: &SealingKey,
        runtime: &RuntimeId,
        of: &Integration,
    ) -> Result<Option<ApiToken>, RepositoryError> {
        let opened = self.open_bytes(key, runtime, (&of.name, of.provider, &of.url))?;
        convert::git::read_token(&opened)
    }

    fn open_at(
        &self,
        key: &SealingKey,
        runtime: &RuntimeId,
        place: (&IntegrationName, Provider, &str),
    ) -> Result<OpenCredential, RepositoryError> {
        convert::git::read_credential(&self.open_bytes(key, runtime, place)?)
    }

    /// It opens for this integration of this runtime only.
    fn open_bytes(
        &self,
        key: &SealingKey,
        runtime: &RuntimeId,
        (name, provider, url): (&IntegrationName, Provider, &str),
    ) -> Result<Vec<u8>, RepositoryError> {
        let number = convert::git::provider_number(provider);
        let context = format!("{runtime}\0{name}\0{number}\0{url}");
        let purpose = SealPurpose {
            info: SEAL_INFO,
            context: context.as_bytes(),
        };
        let opened = key.open_sealed(purpose, &self.0);
        opened.map_err(|_| RepositoryError::Sealed)
    }
}

impl FromStr for IntegrationName {
    type Err = RepositoryError;

    fn from_str(text: &str) -> Result<Self, RepositoryError> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let has_edges = text.starts_with(is_plain) && text.ends_with(is_plain);
        if has_edges && text.len() <= LONGEST_NAME && text.chars().all(|c| is_plain(c) || c == '-')
        {
            Ok(Self(text.to_owned()))
        } else {
            Err(RepositoryError::Name)
        }
    }
}

impl fmt::Display for IntegrationName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
