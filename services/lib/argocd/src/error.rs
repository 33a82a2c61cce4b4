//! Errors of the cluster and of argocd-server.

use std::path::PathBuf;

use crate::redact::Redactor;

/// Error of the access to a cluster. Each message is one line that names the next step.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClusterError {
    #[error("cannot read --kubeconfig {}: {cause}", file.display())]
    Kubeconfig { file: PathBuf, cause: String },
    #[error("no cluster is configured: give --kubeconfig ({cause})")]
    NotConfigured { cause: String },
    #[error("the cluster at {url} does not answer: {cause}; check --kubeconfig and --context")]
    Unreachable { url: String, cause: String },
    #[error("the cluster at {url} refuses these credentials: {cause}; {advice}")]
    Refused {
        url: String,
        cause: String,
        advice: &'static str,
    },
    #[error(
        "the cluster at {url} has no custom resource applications.argoproj.io: install Argo CD, or choose another cluster by --context"
    )]
    NoApplications { url: String },
}

impl ClusterError {
    /// Redacts secrets in the text of other parties.
    pub fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Kubeconfig { cause, .. }
            | Self::NotConfigured { cause }
            | Self::Unreachable { cause, .. }
            | Self::Refused { cause, .. } => *cause = redactor.message(cause),
            Self::NoApplications { .. } => {}
        }
    }
}

/// Error of a call to argocd-server. Each message is one line that names the next step.
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
    UnknownRevision { revision: String },
    #[error("argocd-server was not found: {cause}; give its address by --argocd-server")]
    ServerNotFound { cause: String },
    #[error(
        "the certificate of Argo CD at {server} is not trusted: {cause}; give the certificate of its authority by --argocd-ca-file"
    )]
    Untrusted { server: String, cause: String },
    #[error("Argo CD at {server} does not answer: {cause}; check --argocd-server")]
    Unavailable { server: String, cause: String },
    #[error("Argo CD at {server} was asked and gave no answer: {cause}; try again")]
    NoResponse { server: String, cause: String },
    #[error(
        "Argo CD has not answered about {application} within {seconds} s; it is asked again later"
    )]
    Timeout { application: String, seconds: u64 },
    #[error("Argo CD's answer about {what} cannot be read: {cause}")]
    Malformed { what: &'static str, cause: String },
    #[error("Argo CD's answer about {what} is larger than {limit} bytes")]
    TooLarge { what: &'static str, limit: usize },
}

impl ArgocdError {
    /// Redacts secrets in the text of other parties.
    pub fn redact(&mut self, redactor: &Redactor) {
        if let Self::Precondition { message: text }
        | Self::Rejected { message: text }
        | Self::Failed { message: text }
        | Self::Unavailable { cause: text, .. }
        | Self::NoResponse { cause: text, .. }
        | Self::Malformed { cause: text, .. } = self
        {
            *text = redactor.message(text);
        }
    }

    /// Returns true if the same call may succeed later without a change by the user.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Unavailable { .. }
                | Self::NoResponse { .. }
                | Self::ServerNotFound { .. }
                | Self::Timeout { .. }
                | Self::Failed { .. }
        )
    }
}

/// Returns the innermost cause: the outer errors of a client only state that something failed.
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
