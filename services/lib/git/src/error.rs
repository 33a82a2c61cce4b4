//! Why a change was not committed. Each message says what to do.

use causeway_patch::PatchError;

/// The reason why Git work failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    #[error("repository URL: {0}: correct the integration")]
    InvalidUrl(&'static str),
    #[error("path {path:?} {problem}: use a path inside the repository")]
    InvalidPath { path: String, problem: &'static str },
    #[error("the change is invalid: {0}")]
    InvalidChange(&'static str),
    #[error("the signing key {0}: give an ed25519 key in the OpenSSH format, without a passphrase")]
    SigningKey(&'static str),
    #[error("this instance is shutting down: repeat the request")]
    Draining,
    #[error("{waiting} changes wait for this branch already: repeat the request later")]
    QueueFull { waiting: usize },
    #[error("the Git server refused the credential: renew it in the integration")]
    Unauthorized,
    #[error(
        "the repository is not there, or the credential may not read it: check the URL and its rights"
    )]
    RepositoryNotFound,
    #[error("branch {branch} is not in the repository: check its name")]
    BranchNotFound { branch: String },
    #[error("branch {branch} exists with other commits: use a new request ID")]
    BranchExists { branch: String },
    #[error("the Git server is unavailable ({0}): repeat the request with the same step id")]
    Unavailable(String),
    #[error(
        "the Git server did not finish in {seconds} s: repeat the request with the same step id"
    )]
    Timeout { seconds: u64 },
    #[error("{what} is larger than {limit} bytes: this repository cannot be changed here")]
    TooLarge { what: &'static str, limit: u64 },
    #[error("more than {limit} files are there to be searched: name the file")]
    TooManyFiles { limit: usize },
    #[error("{path} is not in the repository: check the path")]
    FileNotFound { path: String },
    #[error(
        "{path} is {found}, not {expected} as expected: read the file again and repeat the edit"
    )]
    StaleFile {
        path: String,
        expected: String,
        found: String,
    },
    #[error("{path} is {reason}: edit it with another tool")]
    NotEditable { path: String, reason: NotEditable },
    #[error("{path}: {source}")]
    Edit { path: String, source: PatchError },
    #[error("the change leaves every file as it is: nothing was committed")]
    NothingToCommit,
    #[error(
        "the Git server refused the push ({reason}): ask an admin of the repository, or open a pull request"
    )]
    Rejected { reason: String },
    #[error("other pushes to {branch} won {attempts} times: repeat the request")]
    Contended { branch: String, attempts: u32 },
    #[error(
        "the history of {branch} was rewritten while step {step} ran: check whether its commit is still wanted"
    )]
    HistoryRewritten { branch: String, step: String },
    #[error("step {step} was used for another change: use a new step id")]
    StepReused { step: String },
    #[error(
        "the journal of results is damaged at byte {offset}: restore it, or move it away to rely on the trailers"
    )]
    JournalDamaged { offset: u64 },
    #[error("the disk of this instance failed ({0}): free space or replace the volume")]
    Storage(String),
    #[error("git failed: {0}: see the log of this instance")]
    Git(String),
}

/// What a path is instead of an editable file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotEditable {
    Symlink,
    Submodule,
    Folder,
    LfsPointer,
    Binary,
    Large,
}

impl std::fmt::Display for NotEditable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Symlink => "a symbolic link, or below one",
            Self::Submodule => "a submodule, or below one",
            Self::Folder => "a folder",
            Self::LfsPointer => "a Git LFS pointer",
            Self::Binary => "a binary file",
            Self::Large => "larger than 2 MiB",
        })
    }
}

impl From<std::io::Error> for GitError {
    fn from(error: std::io::Error) -> Self {
        Self::Storage(error.to_string())
    }
}

impl From<gix::Error> for GitError {
    fn from(error: gix::Error) -> Self {
        Self::Git(error.to_string())
    }
}
