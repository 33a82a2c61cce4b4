//! JSON of Azure DevOps: only the fields that are read.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Approval, Branch, Comment, CommitState, CommitStatus, Decision, EntryKind, FileEntry,
    Mergeability, NewPullRequest, ProviderError, PullRequest, PullRequestState, RepositoryName,
};

const HEADS: &str = "refs/heads/";

#[derive(Debug, Deserialize)]
pub(super) struct Values<T> {
    pub(super) value: Vec<T>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ConnectionState {
    pub(super) authenticated_user: Account,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Account {
    pub(super) id: String,
    pub(super) provider_display_name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Named {
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Repository {
    name: String,
    project: Named,
    default_branch: Option<String>,
    remote_url: String,
    #[serde(default)]
    is_disabled: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Ref {
    name: String,
    object_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Item {
    path: String,
    git_object_type: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Commit {
    pub(super) commit_id: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Changes {
    changes: Vec<Change>,
}

#[derive(Debug, Deserialize)]
struct Change {
    item: Item,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pull {
    pull_request_id: u64,
    title: String,
    status: String,
    #[serde(default)]
    merge_status: String,
    source_ref_name: String,
    target_ref_name: String,
    last_merge_source_commit: Option<Commit>,
    last_merge_commit: Option<Commit>,
    #[serde(default)]
    reviewers: Vec<Reviewer>,
    #[serde(default)]
    url: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reviewer {
    display_name: String,
    vote: i32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Status {
    state: String,
    description: Option<String>,
    context: Context,
    target_url: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Context {
    name: String,
    genre: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Thread {
    id: u64,
    comments: Vec<ThreadComment>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ThreadComment {
    author: Author,
    content: Option<String>,
    comment_type: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Author {
    display_name: String,
}

fn short(reference: &str) -> String {
    reference
        .strip_prefix(HEADS)
        .unwrap_or(reference)
        .to_owned()
}

impl TryFrom<Repository> for crate::Repository {
    type Error = ProviderError;

    fn try_from(found: Repository) -> Result<Self, ProviderError> {
        let name = format!("{}/{}", found.project.name, found.name);
        Ok(Self {
            name: RepositoryName::parse(&name)?,
            default_branch: found.default_branch.as_deref().map(short),
            clone_url: found.remote_url,
            is_archived: found.is_disabled,
        })
    }
}

impl From<Ref> for Branch {
    fn from(found: Ref) -> Self {
        Self {
            name: short(&found.name),
            commit: found.object_id,
            // Policies of branches are another list.
            is_protected: false,
        }
    }
}

impl From<Item> for FileEntry {
    fn from(found: Item) -> Self {
        let kind = match found.git_object_type.as_deref() {
            Some("blob") => EntryKind::File,
            Some("tree") => EntryKind::Folder,
            _ => EntryKind::Other,
        };
        Self {
            path: found.path.trim_start_matches('/').to_owned(),
            kind,
        }
    }
}

impl Changes {
    /// Paths of files; folders that changed with them are left out.
    pub(super) fn into_paths(self) -> Vec<String> {
        let entries = self.changes.into_iter();
        let entries = entries.map(|change| FileEntry::from(change.item));
        let files = entries.filter(|entry| entry.kind != EntryKind::Folder);
        let mut paths: Vec<_> = files.map(|entry| entry.path).collect();
        paths.sort();
        paths.dedup();
        paths
    }
}

impl Pull {
    fn mergeability(&self) -> Mergeability {
        match self.merge_status.as_str() {
            "succeeded" => Mergeability::Mergeable,
            "conflicts" => Mergeability::Conflicting,
            "rejectedByPolicy" => Mergeability::Blocked("policies are not met".to_owned()),
            "failure" => Mergeability::Blocked("the last merge failed".to_owned()),
            _ => Mergeability::Unknown,
        }
    }

    /// Votes: 10 and 5 approve, -5 waits for the author, -10 rejects.
    pub(super) fn into_approvals(self) -> Vec<Approval> {
        let approval = |found: Reviewer| {
            let decision = match found.vote {
                5.. => Decision::Approved,
                ..=-5 => Decision::ChangesRequested,
                _ => return None,
            };
            Some(Approval {
                user: found.display_name,
                decision,
                head: None,
                is_stale: false,
            })
        };
        self.reviewers.into_iter().filter_map(approval).collect()
    }
}

impl From<Pull> for PullRequest {
    fn from(found: Pull) -> Self {
        let mergeability = found.mergeability();
        let merged = found.last_merge_commit.map(|commit| commit.commit_id);
        let state = match found.status.as_str() {
            "active" => PullRequestState::Open,
            "completed" => PullRequestState::Merged(merged),
            _ => PullRequestState::Closed,
        };
        let head = found.last_merge_source_commit;
        Self {
            state,
            mergeability,
            number: found.pull_request_id,
            title: found.title,
            head_branch: short(&found.source_ref_name),
            base_branch: short(&found.target_ref_name),
            head: head.map(|commit| commit.commit_id).unwrap_or_default(),
            url: found.url,
        }
    }
}

impl From<Status> for CommitStatus {
    fn from(found: Status) -> Self {
        let state = match found.state.as_str() {
            "succeeded" | "notApplicable" => CommitState::Success,
            "pending" | "notSet" => CommitState::Pending,
            _ => CommitState::Failure,
        };
        let name = found.context.name;
        let genre = found.context.genre.filter(|genre| !genre.is_empty());
        Self {
            context: genre.map_or(name.clone(), |genre| format!("{genre}/{name}")),
            state,
            description: found.description.unwrap_or_default(),
            url: found.target_url,
        }
    }
}

impl Thread {
    pub(super) fn into_comment(self) -> Option<Comment> {
        let mut written = self.comments.into_iter();
        let first = written.find(|comment| comment.comment_type == "text")?;
        Some(Comment {
            id: self.id,
            author: first.author.display_name,
            body: first.content.unwrap_or_default(),
        })
    }
}

pub(super) fn pull_body(new: &NewPullRequest) -> Value {
    json!({
        "sourceRefName": format!("{HEADS}{}", new.head),
        "targetRefName": format!("{HEADS}{}", new.base),
        "title": new.title,
        "description": new.body,
    })
}

/// A context with a slash is genre and name.
pub(super) fn status_body(status: &CommitStatus) -> Value {
    let state = match status.state {
        CommitState::Pending => "pending",
        CommitState::Success => "succeeded",
        CommitState::Failure => "failed",
    };
    let (genre, name) = match status.context.rsplit_once('/') {
        Some((genre, name)) => (Some(genre), name),
        None => (None, status.context.as_str()),
    };
    json!({
        "state": state, "description": status.description, "targetUrl": status.url,
        "context": { "name": name, "genre": genre },
    })
}
