//! What an integration's test found at its host.

use causeway_git::{Access, GitError};
use causeway_git_provider::{BudgetState, Capabilities, ProviderError, User};

use super::Integration;

/// What was found, and what is wrong.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IntegrationTest {
    pub(crate) integration: Integration,
    pub(crate) capabilities: Capabilities,
    pub(crate) user: Option<User>,
    pub(crate) budget: Option<BudgetState>,
    pub(crate) repository: Option<RepositoryAccess>,
    pub(crate) problems: Vec<Problem>,
}

/// Rights of the credential on a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RepositoryAccess {
    pub(crate) url: String,
    pub(crate) can_read: bool,
    pub(crate) can_push: bool,
    pub(crate) default_branch: Option<String>,
    pub(crate) is_archived: bool,
}

/// Something wrong, with its fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemKind,
    pub(crate) message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    CredentialRefused,
    CredentialTooWeak,
    OtherProvider,
    HtmlAnswer,
    HostFailed,
    NoAnswer,
    RateLimited,
    RepositoryUnknown,
    RepositoryArchived,
    RuntimeRuleMissing,
    UrlUnusable,
    NotTested,
}

impl IntegrationTest {
    /// Whether the host accepted the credential and nothing is wrong.
    pub(crate) fn is_working(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn add(&mut self, kind: ProblemKind, message: impl Into<String>) {
        let message = message.into();
        // The API and Git say the same of a bad credential.
        if self.problems.iter().all(|known| known.kind != kind) {
            self.problems.push(Problem { kind, message });
        }
    }

    pub(super) fn add_host_error(&mut self, error: &ProviderError) {
        self.add(kind_of(error), error.to_string());
    }

    /// Adds what Git itself answered about a repository.
    pub(super) fn add_access(&mut self, repository: &mut RepositoryAccess, access: &Access) {
        repository.can_read = access.read.is_ok();
        repository.can_push = access.push.is_ok();
        match (&access.read, &access.push) {
            (Err(error), _) => self.add(git_kind(error), error.to_string()),
            (Ok(()), Err(GitError::Unauthorized | GitError::RepositoryNotFound)) => self.add(
                ProblemKind::CredentialTooWeak,
                format!(
                    "the credential may read {} and not push to it: give it the right to write",
                    repository.url
                ),
            ),
            (Ok(()), Err(error)) => self.add(git_kind(error), error.to_string()),
            (Ok(()), Ok(())) => {}
        }
    }
}

fn kind_of(error: &ProviderError) -> ProblemKind {
    match error {
        ProviderError::Unauthorized { .. }
        | ProviderError::InvalidKey
        | ProviderError::ClockSkew { .. } => ProblemKind::CredentialRefused,
        ProviderError::Forbidden { .. } => ProblemKind::CredentialTooWeak,
        ProviderError::OtherProvider { .. } | ProviderError::Malformed { .. } => {
            ProblemKind::OtherProvider
        }
        ProviderError::Html { .. } => ProblemKind::HtmlAnswer,
        ProviderError::Refused { .. } | ProviderError::TooLarge { .. } => ProblemKind::HostFailed,
        // A status is a number; anything else is an error of the connection.
        ProviderError::Unavailable { reason, .. } if reason.parse::<u16>().is_ok() => {
            ProblemKind::HostFailed
        }
        ProviderError::Unavailable { .. } => ProblemKind::NoAnswer,
        ProviderError::RateLimited { .. } => ProblemKind::RateLimited,
        ProviderError::NotFound { .. } | ProviderError::InvalidName(_) => {
            ProblemKind::RepositoryUnknown
        }
        ProviderError::InvalidUrl(_) | ProviderError::Moved { .. } => ProblemKind::UrlUnusable,
        ProviderError::Unsupported { .. } => ProblemKind::NotTested,
    }
}

fn git_kind(error: &GitError) -> ProblemKind {
    match error {
        GitError::Unauthorized => ProblemKind::CredentialRefused,
        GitError::RepositoryNotFound => ProblemKind::RepositoryUnknown,
        GitError::Unavailable(_) | GitError::Timeout { .. } => ProblemKind::NoAnswer,
        GitError::InvalidUrl(_) => ProblemKind::UrlUnusable,
        GitError::InvalidPath { .. }
        | GitError::InvalidChange(_)
        | GitError::SigningKey(_)
        | GitError::Draining
        | GitError::QueueFull { .. }
        | GitError::TooManyFiles { .. }
        | GitError::BranchNotFound { .. }
        | GitError::BranchExists { .. }
        | GitError::TooLarge { .. }
        | GitError::FileNotFound { .. }
        | GitError::StaleFile { .. }
        | GitError::NotEditable { .. }
        | GitError::Edit { .. }
        | GitError::NothingToCommit
        | GitError::Rejected { .. }
        | GitError::Contended { .. }
        | GitError::HistoryRewritten { .. }
        | GitError::StepReused { .. }
        | GitError::JournalDamaged { .. }
        | GitError::Storage(_)
        | GitError::Git(_) => ProblemKind::HostFailed,
    }
}

#[cfg(test)]
mod tests;
