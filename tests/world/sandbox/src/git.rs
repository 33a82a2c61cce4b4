//! Real Git repositories: bare ones in a folder, served over smart HTTP, read and written through the `git` program.
//!
//! Owns: the repositories' folder, the children it starts (bounded in number, time and bytes) and word of each push.
//! Never: opens a path that came from a URL, runs a shell, or reads the user's Git configuration.

mod address;
mod backend;
mod commit;
mod mirror;
mod program;
mod repository;
mod server;

pub use commit::{Author, Commit};
pub use repository::{CommitId, Metadata, Repository};
pub use server::{GitOptions, GitServer, Pushes};

pub(crate) use mirror::Mirrors;
pub(crate) use program::GitProgram;
pub(crate) use repository::{File, Listing};

use std::{io, net::SocketAddr, path::PathBuf};

/// Failure of a Git operation. Each message is one line.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error(
        "the git program was not found; install it (apt-get install git, dnf install git, or brew install git) and see that it is on PATH"
    )]
    Missing,
    #[error("git {command} did not start: {source}")]
    Start { command: String, source: io::Error },
    #[error("git {command} took longer than {seconds} s and was stopped")]
    Slow { command: String, seconds: u64 },
    #[error("git {command} failed: {message}")]
    Failed { command: String, message: String },
    #[error("git {command} wrote more than {limit} bytes")]
    TooLarge { command: String, limit: usize },
    #[error("unable to resolve '{revision}' to a commit SHA")]
    UnknownRevision { revision: String },
    #[error("{path}: app path does not exist")]
    NoPath { path: String },
    #[error("{path}: more than {limit} {what} below this path")]
    TooMuch {
        path: String,
        limit: u64,
        what: &'static str,
    },
    #[error("{name:?} is not a repository name: use lower-case letters, digits, '-', '_' and '.'")]
    BadName { name: String },
    #[error("there is no repository {name:?}")]
    NoRepository { name: String },
    #[error("cannot read {url}: only http and https remotes are read")]
    BadUrl { url: String },
    #[error("cannot use the folder {}: {source}; give a folder that this user may write", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("cannot listen on {address}: {source}; give another address with --git-listen")]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },
}
