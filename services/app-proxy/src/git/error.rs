//! Why a call about Git failed. Each text is one line that says what to do.

use causeway_argocd::redact::Redactor;
use causeway_git::GitError;
use causeway_git_provider::ProviderError;
use causeway_patch::PatchError;

use super::{IntegrationName, PlanError};
use crate::{
    action::ActionError, convert::FieldError, kube::objects::ObjectError, outcome::RequestIdReused,
    policy::NotAllowed, source::SourceError,
};

/// See the module.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum RepositoryError {
    #[error("Git is off in this runtime: start its app-proxy with --git-folder")]
    Off,
    #[error(transparent)]
    Policy(#[from] NotAllowed),
    #[error(
        "your roles do not select this runtime for Git: ask an admin for a rule without project, name or labels"
    )]
    OutOfScope,
    #[error(
        "this runtime does not allow {repository} with branch {branch}: its app-proxy needs a rule of --allow-git for them"
    )]
    NotAllowed { repository: String, branch: String },
    #[error(
        "this runtime does not allow the path {0}: its app-proxy needs a rule of --allow-git for it"
    )]
    PathNotAllowed(String),
    #[error(
        "name must have 1 to 40 of a-z, 0-9 and '-', beginning and ending with a letter or digit"
    )]
    Name,
    #[error("there is no integration {0}: see 'causeway integration list'")]
    Unknown(String),
    #[error("there is an integration {0}: delete it first, or take another name")]
    Taken(String),
    #[error(
        "this runtime has {0} integrations, which is the most: delete one with 'causeway integration delete' first"
    )]
    Full(usize),
    #[error(
        "the credential of integration {0} is sealed to another key, as after the runtime joined again: delete the integration and create it again"
    )]
    OtherKey(String),
    #[error("the Secret of integration {0} is damaged: delete the integration and create it again")]
    Damaged(String),
    #[error("repository must lie under {url}, the URL of integration {integration}")]
    OtherHost { integration: String, url: String },
    #[error(
        "credential does not open: seal it to the sealing key of this runtime, for this name, provider and URL"
    )]
    Sealed,
    #[error(
        "the integration has an SSH key, which the API of its host does not accept: create one with a token"
    )]
    SshKey,
    #[error(
        "pull request {0} has more files than the host lists, so its paths cannot be checked: merge it at the host"
    )]
    TooManyFiles(u64),
    #[error("the name {0} is not known to DNS: check the URL")]
    HostUnknown(String),
    #[error(
        "{0} leads to a loopback, link-local or metadata address, which this runtime does not call: check the URL"
    )]
    HostAddress(String),
    #[error(transparent)]
    Host(ProviderError),
    #[error("credential is no Credential with a password or an SSH key")]
    Credential,
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error(transparent)]
    RequestIdReused(#[from] RequestIdReused),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Application(Box<ActionError>),
    #[error(transparent)]
    Cluster(ObjectError),
    #[error(transparent)]
    Git(GitError),
}

impl From<GitError> for RepositoryError {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

impl From<ActionError> for RepositoryError {
    fn from(error: ActionError) -> Self {
        Self::Application(Box::new(error))
    }
}

impl From<PatchError> for RepositoryError {
    fn from(error: PatchError) -> Self {
        let path = String::new();
        Self::Git(GitError::Edit {
            path,
            source: error,
        })
    }
}

impl RepositoryError {
    /// What a failure to open a credential means that was sealed well when it was stored.
    pub(super) fn of_stored(self, name: &IntegrationName) -> Self {
        if matches!(self, Self::Sealed) {
            Self::OtherKey(name.to_string())
        } else {
            self
        }
    }

    /// Takes secrets out of what the cluster and the Git server say.
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Cluster(error) => error.redact(redactor),
            Self::Git(
                GitError::Unavailable(said)
                | GitError::Rejected { reason: said }
                | GitError::StaleFile { found: said, .. }
                | GitError::Git(said),
            ) => *said = redactor.message(said),
            Self::Off
            | Self::Policy(_)
            | Self::OutOfScope
            | Self::NotAllowed { .. }
            | Self::PathNotAllowed(_)
            | Self::Name
            | Self::Unknown(_)
            | Self::Taken(_)
            | Self::Damaged(_)
            | Self::Full(_)
            | Self::OtherKey(_)
            | Self::OtherHost { .. }
            | Self::Sealed
            | Self::Credential
            | Self::SshKey
            | Self::TooManyFiles(_)
            | Self::HostUnknown(_)
            | Self::HostAddress(_)
            // Its own client has removed the credential.
            | Self::Host(_)
            | Self::Field(_)
            | Self::RequestIdReused(_)
            | Self::Plan(_)
            | Self::Source(_)
            // Its own service takes secrets out of it.
            | Self::Application(_)
            | Self::Git(_) => {}
        }
    }
}
