//! Statuses and checks of commits.

/// State of one check of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitState {
    Pending,
    Success,
    Failure,
}

/// A status or check of a commit, the last of its context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitStatus {
    pub context: String,
    pub state: CommitState,
    pub description: String,
    pub url: Option<String>,
}
