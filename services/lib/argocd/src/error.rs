//! Why Argo CD did not do what was asked.

use std::path::PathBuf;

use crate::redact::Redactor;

/// Why a call of argocd-server failed. Each text is one line that says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ArgocdError {
    #[error("no token of Argo CD is configured: give --argocd-server and --argocd-token-file")]
    NoToken,
    #[error("cannot read --argocd-token-file {}: {cause}", file.display())]
    TokenFile { file: PathBuf, cause: String },
    #[error("cannot use --argocd-ca-file {}: {cause}", file.display())]
    CaFile { file: PathBuf, cause: String },
    #[error(
        "Argo CD at {server} refused the token: make a new one and write it to --argocd-token-file"
    )]
    TokenRefused { server: String },
    #[error("Argo CD at {server} has no application {application}: another Argo CD may have it")]
    NotFound { server: String, application: String },
    #[error("Argo CD has no application {application}, or its token may not see it")]
    Denied { application: String },
    #[error("{message}")]
    Precondition { message: String },
    #[error("Argo CD refused the call: {message}")]
    Rejected { message: String },
    #[error("Argo CD failed: {message}")]
    Failed { message: String },
    #[error("Argo CD has no commit for revision {revision}")]
    NoRevision { revision: String },
    #[error("argocd-server was not found: {cause}; give its address by --argocd-server")]
    Undiscovered { cause: String },
    #[error(
        "the certificate of Argo CD at {server} is not trusted: {cause}; give the certificate of its authority by --argocd-ca-file"
    )]
    Untrusted { server: String, cause: String },
    #[error("Argo CD at {server} does not answer: {cause}; check --argocd-server")]
    Unavailable { server: String, cause: String },
    #[error("Argo CD at {server} was asked and gave no answer: {cause}; try again")]
    Lost { server: String, cause: String },
    #[error(
        "Argo CD has not answered about {application} within {seconds} s; it is asked again later"
    )]
    Late { application: String, seconds: u64 },
    #[error("Argo CD's answer about {what} cannot be read: {cause}")]
    Malformed { what: &'static str, cause: String },
    #[error("Argo CD's answer about {what} is larger than {limit} bytes")]
    TooLarge { what: &'static str, limit: usize },
}

impl ArgocdError {
    /// Takes secrets out of what others say in it.
    pub fn redact(&mut self, redactor: &Redactor) {
        if let Self::Precondition { message: said }
        | Self::Rejected { message: said }
        | Self::Failed { message: said }
        | Self::Unavailable { cause: said, .. }
        | Self::Lost { cause: said, .. }
        | Self::Malformed { cause: said, .. } = self
        {
            *said = redactor.message(said);
        }
    }

    /// Whether the same call may succeed later without anybody changing anything.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Unavailable { .. }
                | Self::Lost { .. }
                | Self::Undiscovered { .. }
                | Self::Late { .. }
                | Self::Failed { .. }
        )
    }
}

/// The innermost cause as text: the outer ones of a client only say that something failed.
pub(crate) fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause
        .to_string()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}
