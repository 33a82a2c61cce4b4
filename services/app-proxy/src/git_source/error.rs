//! Why a call about Git sources failed. Each text is one line that says what to do.

use causeway_git_source::Refusal;

use crate::{
    convert::FieldError, kube::objects::ObjectError, outcome::RequestIdReused, policy::NotAllowed,
};

/// See the module.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum GitSourceError {
    #[error(transparent)]
    Policy(#[from] NotAllowed),
    #[error(
        "your roles do not select this runtime for Git sources: ask an admin for a rule without project, name or labels"
    )]
    OutOfScope,
    #[error("there is no Git source {0}: see 'causeway git-source list'")]
    Unknown(String),
    #[error("there is a Git source {0}: pass --update to change it, or take another name")]
    Taken(String),
    #[error("{0} is an ordinary Git source: delete its Application with 'causeway app delete {0}'")]
    Ordinary(String),
    #[error("the Git source is refused ({reason}): {0}", reason = .0.reason())]
    Refused(Refusal),
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error(transparent)]
    RequestIdReused(#[from] RequestIdReused),
    #[error(transparent)]
    Cluster(ObjectError),
}
