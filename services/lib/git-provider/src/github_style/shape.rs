//! JSON of GitHub, Gitea and Forgejo: only the fields that are read.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Style;
use crate::{
    Approval, Branch, Comment, CommitState, CommitStatus, Comparison, Decision, EntryKind, Event,
    FileEntry, Mergeability, NewWebhook, ProviderError, PullRequest, PullRequestState,
    RepositoryName, Webhook,
};

/// Commits and files that a comparison may list before a provider cuts it.
const COMPARED: usize = 250;

#[derive(Debug, Deserialize)]
pub(crate) struct Account {
    pub(crate) login: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Found {
    #[serde(alias = "data", alias = "repositories")]
    pub(crate) items: Vec<Repository>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Repository {
    full_name: String,
    default_branch: Option<String>,
    clone_url: String,
    #[serde(default)]
    archived: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct BranchEntry {
    name: String,
    commit: Commit,
    #[serde(default)]
    protected: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Commit {
    #[serde(alias = "id")]
    sha: String,
    #[serde(default)]
    files: Option<Vec<File>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct File {
    filename: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Entry {
    path: String,
    r#type: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Compared {
    total_commits: usize,
    commits: Vec<Commit>,
    /// Gitea has them below each commit instead.
    #[serde(default)]
    files: Vec<File>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Pull {
    pub(crate) number: u64,
    #[serde(default)]
    pub(crate) node_id: String,
    title: String,
    pub(crate) state: String,
    #[serde(default)]
    merged: bool,
    merged_at: Option<String>,
    #[serde(default)]
    pub(crate) mergeable: Option<bool>,
    #[serde(default)]
    pub(crate) mergeable_state: String,
    merge_commit_sha: Option<String>,
    pub(crate) head: Side,
    base: Side,
    html_url: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Side {
    r#ref: String,
    #[serde(default)]
    pub(crate) sha: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Review {
    user: Option<Account>,
    state: String,
    commit_id: Option<String>,
    #[serde(default)]
    stale: bool,
    #[serde(default)]
    dismissed: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CombinedStatus {
    pub(crate) statuses: Option<Vec<Status>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Status {
    context: String,
    #[serde(alias = "status")]
    state: String,
    description: Option<String>,
    target_url: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CommentEntry {
    id: u64,
    user: Option<Account>,
    body: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Hook {
    id: u64,
    active: bool,
    events: Vec<String>,
    config: HookConfig,
}

#[derive(Debug, Deserialize)]
struct HookConfig {
    #[serde(default)]
    url: String,
}

impl TryFrom<Repository> for crate::Repository {
    type Error = ProviderError;

    fn try_from(found: Repository) -> Result<Self, ProviderError> {
        Ok(Self {
            name: RepositoryName::parse(&found.full_name)?,
            default_branch: found.default_branch.filter(|name| !name.is_empty()),
            clone_url: found.clone_url,
            is_archived: found.archived,
        })
    }
}

impl From<BranchEntry> for Branch {
    fn from(found: BranchEntry) -> Self {
        Self {
            name: found.name,
            commit: found.commit.sha,
            is_protected: found.protected,
        }
    }
}

impl From<Entry> for FileEntry {
    fn from(found: Entry) -> Self {
        let kind = match found.r#type.as_str() {
            "file" => EntryKind::File,
            "dir" => EntryKind::Folder,
            _ => EntryKind::Other,
        };
        Self {
            path: found.path,
            kind,
        }
    }
}

impl From<Compared> for Comparison {
    fn from(found: Compared) -> Self {
        let below = found
            .commits
            .iter()
            .filter_map(|commit| commit.files.as_ref());
        let files = found.files.iter().chain(below.flatten());
        let mut files: Vec<_> = files.map(|file| file.filename.clone()).collect();
        files.sort();
        files.dedup();
        let is_complete = found.total_commits == found.commits.len() && files.len() < COMPARED;
        Self {
            commits: found.commits.into_iter().map(|commit| commit.sha).collect(),
            files,
            is_complete,
        }
    }
}

impl Pull {
    /// Where it stands; while it is open GitHub's merge commit is only a test.
    pub(crate) fn state(&self) -> PullRequestState {
        if self.state == "open" {
            return PullRequestState::Open;
        }
        if self.merged || self.merged_at.is_some() {
            let commit = self.merge_commit_sha.clone();
            return PullRequestState::Merged(commit.filter(|commit| !commit.is_empty()));
        }
        PullRequestState::Closed
    }

    fn mergeability(&self) -> Mergeability {
        match (self.mergeable, self.mergeable_state.as_str()) {
            (Some(true), "blocked" | "behind" | "draft") => {
                Mergeability::Blocked(self.mergeable_state.clone())
            }
            (Some(true), _) => Mergeability::Mergeable,
            (_, "dirty") => Mergeability::Conflicting,
            // Gitea says false while it computes, too.
            (Some(false) | None, _) => Mergeability::Unknown,
        }
    }
}

impl From<Pull> for PullRequest {
    fn from(found: Pull) -> Self {
        Self {
            state: found.state(),
            mergeability: found.mergeability(),
            number: found.number,
            title: found.title,
            head_branch: found.head.r#ref,
            base_branch: found.base.r#ref,
            head: found.head.sha,
            url: found.html_url,
        }
    }
}

impl Review {
    pub(crate) fn login(&self) -> String {
        let user = self.user.as_ref();
        user.map(|user| user.login.clone()).unwrap_or_default()
    }

    fn decision(&self) -> Option<Decision> {
        match self.state.as_str() {
            "APPROVED" => Some(Decision::Approved),
            "CHANGES_REQUESTED" | "REQUEST_CHANGES" => Some(Decision::ChangesRequested),
            _ => None,
        }
    }

    /// True where an earlier decision of the same user does not count any more.
    pub(crate) fn replaces(&self) -> bool {
        self.decision().is_some() || self.state == "DISMISSED" || self.dismissed
    }

    pub(crate) fn into_approval(self, head: &str) -> Option<Approval> {
        let decision = self.decision()?;
        let is_other = self
            .commit_id
            .as_deref()
            .is_some_and(|commit| commit != head);
        Some(Approval {
            user: self.login(),
            decision,
            is_stale: self.stale || self.dismissed || is_other,
            head: self.commit_id,
        })
    }
}

impl From<Status> for CommitStatus {
    fn from(found: Status) -> Self {
        let state = match found.state.as_str() {
            "success" | "warning" | "skipped" => CommitState::Success,
            "pending" => CommitState::Pending,
            _ => CommitState::Failure,
        };
        Self {
            context: found.context,
            state,
            description: found.description.unwrap_or_default(),
            url: found.target_url.filter(|url| !url.is_empty()),
        }
    }
}

impl From<CommentEntry> for Comment {
    fn from(found: CommentEntry) -> Self {
        Self {
            id: found.id,
            author: found.user.map(|user| user.login).unwrap_or_default(),
            body: found.body.unwrap_or_default(),
        }
    }
}

impl From<Hook> for Webhook {
    fn from(found: Hook) -> Self {
        let event = |name: &String| match name.as_str() {
            "push" => Some(Event::Push),
            "pull_request" => Some(Event::PullRequest),
            "status" => Some(Event::Status),
            _ => None,
        };
        let mut events: Vec<_> = found.events.iter().filter_map(event).collect();
        events.sort();
        Self {
            id: found.id.to_string(),
            url: found.config.url,
            events,
            is_active: found.active,
        }
    }
}

pub(crate) fn status_body(status: &CommitStatus) -> Value {
    let state = match status.state {
        CommitState::Pending => "pending",
        CommitState::Success => "success",
        CommitState::Failure => "failure",
    };
    json!({
        "state": state, "context": status.context, "description": status.description, "target_url": status.url,
    })
}

pub(super) fn hook_body(style: Style, new: &NewWebhook) -> Value {
    let name = |event: &Event| match event {
        Event::Push => "push",
        Event::PullRequest => "pull_request",
        Event::Status => "status",
    };
    let events: Vec<_> = new.events.iter().map(name).collect();
    let mut config =
        json!({ "url": new.url, "content_type": "json", "secret": new.secret.expose() });
    let kind = match style {
        Style::GitHub => {
            config["insecure_ssl"] = json!("0");
            ("name", "web")
        }
        Style::Gitea => ("type", "gitea"),
    };
    json!({ kind.0: kind.1, "active": true, "events": events, "config": config })
}
