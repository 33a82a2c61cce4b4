//! Git providers behind one trait: repositories, pull requests, statuses and webhooks.
//!
//! - `provider`: the trait. A call that a provider lacks fails as unsupported, and `capabilities` names it before.
//! - `merge`: waits for a merge by the state of the pull request, never by a status code alone.
//! - `http`: one request: bounded, same origin, within the budget of its credential. `budget`: what is left of that.
//! - `address`: the addresses that a host may have.
//! - `gitea`, `github`, `gitlab`, `bitbucket_cloud`, `bitbucket_data_center`, `azure_devops`, `plain`: one provider each.
//!
//! A credential is in no error and no log, and never reaches another host.

mod address;
mod api;
mod azure_devops;
mod bitbucket_cloud;
mod bitbucket_data_center;
mod budget;
mod capabilities;
mod commit_status;
mod connection;
mod error;
mod gitea;
mod github;
mod github_style;
mod gitlab;
mod http;
mod merge;
mod name;
mod plain;
mod provider;
mod pull_request;
mod repository;
mod secret;
mod webhook;

pub use address::{RefusedAddress, is_allowed_address};
pub use azure_devops::{AzureCredential, AzureDevOps};
pub use bitbucket_cloud::{BitbucketCloud, BitbucketCredential};
pub use bitbucket_data_center::BitbucketDataCenter;
pub use budget::{BudgetState, Priority};
pub use capabilities::{AutoMerge, Capabilities, HeadPin, Support};
pub use commit_status::{CommitState, CommitStatus};
pub use connection::{ApiUrl, Connection, Http};
pub use error::ProviderError;
pub use gitea::Gitea;
pub use github::{App, GitHub, GitHubCredential};
pub use gitlab::GitLab;
pub use merge::{MergeWait, decided, merge, open_once};
pub use name::{InvalidName, RefName, RepositoryName};
pub use plain::PlainGit;
pub use provider::{Provider, Reply};
pub use pull_request::{
    Approval, Comment, Decision, MergeMethod, MergeOrder, MergeOutcome, Mergeability,
    NewPullRequest, PullRequest, PullRequestFilter, PullRequestState,
};
pub use repository::{
    Branch, Comparison, Cursor, EntryKind, FileEntry, Organisation, Page, Repository, User,
};
pub use secret::Secret;
pub use webhook::{Delivery, Event, NewWebhook, Webhook};
