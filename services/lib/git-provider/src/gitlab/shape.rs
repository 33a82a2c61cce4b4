//! JSON of GitLab: only the fields that are read.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Branch, Comment, CommitState, CommitStatus, Comparison, Delivery, EntryKind, Event, FileEntry,
    Mergeability, NewWebhook, PullRequest, PullRequestState, Webhook,
};

#[derive(Debug, Deserialize)]
pub(super) struct Account {
    pub(super) username: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Group {
    pub(super) full_path: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Project {
    pub(super) path_with_namespace: String,
    pub(super) default_branch: Option<String>,
    pub(super) http_url_to_repo: String,
    #[serde(default)]
    pub(super) archived: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct BranchEntry {
    name: String,
    commit: Commit,
    #[serde(default)]
    protected: bool,
}

#[derive(Debug, Deserialize)]
struct Commit {
    id: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    path: String,
    r#type: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Compared {
    commits: Vec<Commit>,
    diffs: Vec<Diff>,
    #[serde(default)]
    compare_timeout: bool,
}

#[derive(Debug, Deserialize)]
struct Diff {
    old_path: String,
    new_path: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct MergeRequest {
    iid: u64,
    title: String,
    state: String,
    source_branch: String,
    target_branch: String,
    sha: Option<String>,
    #[serde(default)]
    detailed_merge_status: String,
    merge_commit_sha: Option<String>,
    squash_commit_sha: Option<String>,
    web_url: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Approvals {
    pub(super) approved_by: Vec<ApprovedBy>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ApprovedBy {
    pub(super) user: Account,
}

#[derive(Debug, Deserialize)]
pub(super) struct Status {
    name: String,
    status: String,
    description: Option<String>,
    target_url: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Note {
    id: u64,
    author: Account,
    body: String,
    #[serde(default)]
    pub(super) system: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Hook {
    id: u64,
    url: String,
    #[serde(default)]
    push_events: bool,
    #[serde(default)]
    merge_requests_events: bool,
    #[serde(default)]
    pipeline_events: bool,
    /// "executable", or "temporarily_disabled" and "disabled" after failures.
    #[serde(default)]
    alert_status: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct HookEvent {
    id: u64,
    trigger: String,
    /// A number, or "internal error".
    response_status: Value,
}

impl From<BranchEntry> for Branch {
    fn from(found: BranchEntry) -> Self {
        Self {
            name: found.name,
            commit: found.commit.id,
            is_protected: found.protected,
        }
    }
}

impl From<Entry> for FileEntry {
    fn from(found: Entry) -> Self {
        let kind = match found.r#type.as_str() {
            "blob" => EntryKind::File,
            "tree" => EntryKind::Folder,
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
        let paths = |diff: Diff| [diff.old_path, diff.new_path];
        let mut files: Vec<_> = found.diffs.into_iter().flat_map(paths).collect();
        files.sort();
        files.dedup();
        Self {
            commits: found.commits.into_iter().map(|commit| commit.id).collect(),
            files,
            is_complete: !found.compare_timeout,
        }
    }
}

impl MergeRequest {
    /// A fast-forward has no commit of its own: the head is on the target branch.
    fn state(&self) -> PullRequestState {
        match self.state.as_str() {
            "merged" => {
                let commits = [&self.merge_commit_sha, &self.squash_commit_sha, &self.sha];
                PullRequestState::Merged(commits.into_iter().flatten().next().cloned())
            }
            // Locked while it is being merged.
            "opened" | "locked" => PullRequestState::Open,
            _ => PullRequestState::Closed,
        }
    }

    fn mergeability(&self) -> Mergeability {
        if self.state == "locked" {
            return Mergeability::Unknown;
        }
        match self.detailed_merge_status.as_str() {
            "mergeable" => Mergeability::Mergeable,
            "" | "checking" | "preparing" | "unchecked" | "approvals_syncing" => {
                Mergeability::Unknown
            }
            "ci_still_running" => Mergeability::Unknown,
            "conflict" | "broken_status" => Mergeability::Conflicting,
            other => Mergeability::Blocked(other.replace('_', " ")),
        }
    }
}

impl From<MergeRequest> for PullRequest {
    fn from(found: MergeRequest) -> Self {
        Self {
            state: found.state(),
            mergeability: found.mergeability(),
            number: found.iid,
            title: found.title,
            head_branch: found.source_branch,
            base_branch: found.target_branch,
            head: found.sha.unwrap_or_default(),
            url: found.web_url,
        }
    }
}

impl From<Status> for CommitStatus {
    fn from(found: Status) -> Self {
        let state = match found.status.as_str() {
            "success" | "skipped" => CommitState::Success,
            "failed" | "canceled" => CommitState::Failure,
            _ => CommitState::Pending,
        };
        Self {
            context: found.name,
            state,
            description: found.description.unwrap_or_default(),
            url: found.target_url,
        }
    }
}

impl From<Note> for Comment {
    fn from(found: Note) -> Self {
        Self {
            id: found.id,
            author: found.author.username,
            body: found.body,
        }
    }
}

impl From<Hook> for Webhook {
    fn from(found: Hook) -> Self {
        let events = [
            (found.push_events, Event::Push),
            (found.merge_requests_events, Event::PullRequest),
            (found.pipeline_events, Event::Status),
        ];
        let events = events.into_iter().filter(|(is_sent, _)| *is_sent);
        Self {
            id: found.id.to_string(),
            url: found.url,
            events: events.map(|(_, event)| event).collect(),
            is_active: !found.alert_status.contains("disabled"),
        }
    }
}

impl From<HookEvent> for Delivery {
    fn from(found: HookEvent) -> Self {
        let text = found.response_status.as_str().map(str::parse);
        let number = found.response_status.as_u64().map(u16::try_from);
        let status = text.and_then(Result::ok).or(number.and_then(Result::ok));
        Self {
            id: found.id.to_string(),
            event: found.trigger,
            status: status.unwrap_or(0),
        }
    }
}

pub(super) fn hook_body(new: &NewWebhook) -> Value {
    let sends = |event| new.events.contains(&event);
    json!({
        "url": new.url,
        "token": new.secret.expose(),
        "push_events": sends(Event::Push),
        "merge_requests_events": sends(Event::PullRequest),
        "pipeline_events": sends(Event::Status),
        "enable_ssl_verification": true,
    })
}
