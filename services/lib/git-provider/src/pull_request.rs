//! Pull requests, which some providers call merge requests.

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    pub number: u64,
    pub title: String,
    pub head_branch: String,
    pub base_branch: String,
    /// The last commit of the head branch; lists of Bitbucket Cloud shorten it.
    pub head: String,
    pub state: PullRequestState,
    pub mergeability: Mergeability,
    pub url: String,
}

/// Where a pull request stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PullRequestState {
    Open,
    Closed,
    /// With the commit on the base branch, once the provider names it.
    Merged(Option<String>),
}

/// Which pull requests are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullRequestFilter {
    Open,
    All,
}

/// Whether the provider could merge it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mergeability {
    Mergeable,
    /// Being computed, or the provider does not tell this from a conflict.
    Unknown,
    Conflicting,
    /// Rules are not met; with the provider's words.
    Blocked(String),
}

/// A pull request to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPullRequest {
    pub head: String,
    pub base: String,
    pub title: String,
    pub body: String,
}

/// How commits come to the base branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeMethod {
    Merge,
    Squash,
    Rebase,
}

/// A merge to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeOrder {
    pub number: u64,
    /// Merges this commit and no later one.
    pub head: String,
    pub method: MergeMethod,
    pub title: String,
    pub message: String,
}

/// How an attempt to merge ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeOutcome {
    /// With the commit on the base branch.
    Merged(String),
    /// The provider merges when the rules are met.
    Scheduled,
    /// To be tried again: the provider computes.
    NotYet(String),
    /// To be tried again: refused while mergeable, by another merge or by a rule that the state does not show.
    Contended(String),
    /// Needs a person; with the provider's words.
    Refused(String),
    /// The head branch has another commit now.
    HeadMoved(String),
    /// It was closed without a merge.
    Closed,
}

/// A decision of a reviewer, the last of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    pub user: String,
    pub decision: Decision,
    /// The commit that was reviewed, where the provider names it.
    pub head: Option<String>,
    /// True where it does not count any more.
    pub is_stale: bool,
}

/// What a reviewer decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Approved,
    ChangesRequested,
}

/// A comment on a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    pub id: u64,
    pub author: String,
    pub body: String,
}
