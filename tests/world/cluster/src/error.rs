//! Errors of clusters.

use std::{io, path::PathBuf};

use causeway_sandbox::git::GitError;

use crate::{Child, NodeError, ProcessError, ProgramsError, keys::KeyError, port::PortError};

/// Each message is one line that says what to do or where the log is.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error(transparent)]
    Programs(#[from] ProgramsError),
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error(transparent)]
    Port(#[from] PortError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Node(#[from] NodeError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("cannot use the folder {}: {source}; see that it is writable and its disk not full", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("cannot read the kubeconfig {}: {cause}", path.display())]
    Kubeconfig { path: PathBuf, cause: String },
    #[error("{what}: {source}; the logs are in {}", logs.display())]
    Kube {
        what: String,
        source: Box<kube::Error>,
        logs: PathBuf,
    },
    #[error("{what}: not within {seconds} s ({last}); the logs are in {}", logs.display())]
    Slow {
        what: String,
        seconds: u64,
        last: String,
        logs: PathBuf,
    },
    #[error("the Git provider failed at {request}: {reason}; the logs are in {}", logs.display())]
    Provider {
        request: String,
        reason: String,
        logs: PathBuf,
    },
    #[error("this cluster has no {child}")]
    NoChild { child: Child },
}
