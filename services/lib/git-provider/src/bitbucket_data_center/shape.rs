//! JSON of Bitbucket Data Center: only the fields that are read.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Approval, Branch, Comment, CommitState, CommitStatus, Decision, EntryKind, Event, FileEntry,
    MergeOutcome, Mergeability, NewPullRequest, NewWebhook, ProviderError, PullRequest,
    PullRequestState, RepositoryName, Webhook,
};

const PULL_EVENTS: [&str; 5] = [
    "pr:opened",
    "pr:from_ref_updated",
    "pr:merged",
    "pr:declined",
    "pr:reviewer:approved",
];

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Values<T> {
    pub(super) values: Vec<T>,
    #[serde(default)]
    pub(super) is_last_page: bool,
    pub(super) next_page_start: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Properties {
    pub(super) display_name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Project {
    pub(super) key: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Repository {
    slug: String,
    project: Project,
    links: Links,
    #[serde(default)]
    archived: bool,
}

#[derive(Debug, Default, Deserialize)]
struct Links {
    #[serde(default)]
    clone: Vec<Link>,
    #[serde(default, rename = "self")]
    own: Vec<Link>,
}

#[derive(Debug, Deserialize)]
struct Link {
    #[serde(default)]
    name: String,
    href: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BranchEntry {
    display_id: String,
    latest_commit: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Folder {
    pub(super) children: Values<Entry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    path: Path,
    r#type: String,
}

#[derive(Debug, Deserialize)]
struct Path {
    #[serde(rename = "toString")]
    text: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Commit {
    pub(super) id: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Change {
    path: Path,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pull {
    id: u64,
    pub(super) version: u64,
    title: String,
    state: String,
    from_ref: Side,
    to_ref: Side,
    #[serde(default)]
    reviewers: Vec<Reviewer>,
    #[serde(default)]
    properties: PullProperties,
    #[serde(default)]
    links: Links,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Side {
    pub(super) display_id: String,
    #[serde(default)]
    latest_commit: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PullProperties {
    merge_commit: Option<Commit>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reviewer {
    user: Person,
    status: String,
    last_reviewed_commit: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Person {
    name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MergeState {
    can_merge: bool,
    #[serde(default)]
    conflicted: bool,
    #[serde(default)]
    outcome: String,
    #[serde(default)]
    vetoes: Vec<Veto>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Veto {
    summary_message: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Build {
    key: String,
    name: Option<String>,
    state: String,
    description: Option<String>,
    url: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Activity {
    /// Absent in activities of other kinds.
    pub(super) comment: Option<CommentEntry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CommentEntry {
    id: u64,
    text: String,
    author: Person,
}

#[derive(Debug, Deserialize)]
pub(super) struct Hook {
    id: u64,
    url: String,
    active: bool,
    events: Vec<String>,
}

impl TryFrom<Repository> for crate::Repository {
    type Error = ProviderError;

    fn try_from(found: Repository) -> Result<Self, ProviderError> {
        let name = format!("{}/{}", found.project.key, found.slug);
        let mut links = found.links.clone.into_iter();
        let link = links.find(|link| link.name.starts_with("http"));
        Ok(Self {
            name: RepositoryName::parse(&name)?,
            default_branch: None,
            clone_url: link.map(|link| link.href).unwrap_or_default(),
            is_archived: found.archived,
        })
    }
}

impl From<BranchEntry> for Branch {
    fn from(found: BranchEntry) -> Self {
        Self {
            name: found.display_id,
            commit: found.latest_commit,
            // Rules of branches are another list, which needs an admin.
            is_protected: false,
        }
    }
}

impl Entry {
    /// Paths of a folder are relative to it.
    pub(super) fn below(self, folder: &str) -> FileEntry {
        let kind = match self.r#type.as_str() {
            "FILE" => EntryKind::File,
            "DIRECTORY" => EntryKind::Folder,
            _ => EntryKind::Other,
        };
        let path = if folder.is_empty() {
            self.path.text
        } else {
            format!("{folder}/{}", self.path.text)
        };
        FileEntry { path, kind }
    }
}

impl Change {
    pub(super) fn into_path(self) -> String {
        self.path.text
    }
}

impl MergeState {
    /// What the state decides without a merge.
    pub(super) fn waits(&self) -> Option<MergeOutcome> {
        if self.can_merge {
            return None;
        }
        if self.conflicted {
            let reason = "it conflicts with its target branch";
            return Some(MergeOutcome::Refused(reason.to_owned()));
        }
        let vetoes: Vec<_> = self
            .vetoes
            .iter()
            .map(|it| it.summary_message.as_str())
            .collect();
        if vetoes.is_empty() || self.outcome == "UNKNOWN" {
            let reason = "Bitbucket computes whether it can be merged";
            return Some(MergeOutcome::NotYet(reason.to_owned()));
        }
        Some(MergeOutcome::Refused(vetoes.join(", ")))
    }
}

impl Pull {
    pub(super) fn into_approvals(self) -> Vec<Approval> {
        let current = self.from_ref.latest_commit;
        let approval = |found: Reviewer| {
            let decision = match found.status.as_str() {
                "APPROVED" => Decision::Approved,
                "NEEDS_WORK" => Decision::ChangesRequested,
                _ => return None,
            };
            let head = found.last_reviewed_commit;
            Some(Approval {
                user: found.user.name,
                decision,
                is_stale: head.as_ref().is_some_and(|head| *head != current),
                head,
            })
        };
        self.reviewers.into_iter().filter_map(approval).collect()
    }
}

impl From<Pull> for PullRequest {
    fn from(found: Pull) -> Self {
        let merged = found.properties.merge_commit.map(|commit| commit.id);
        let state = match found.state.as_str() {
            "OPEN" => PullRequestState::Open,
            "MERGED" => PullRequestState::Merged(merged),
            _ => PullRequestState::Closed,
        };
        let mut links = found.links.own.into_iter();
        Self {
            state,
            // Another request tells.
            mergeability: Mergeability::Unknown,
            number: found.id,
            title: found.title,
            head_branch: found.from_ref.display_id,
            base_branch: found.to_ref.display_id,
            head: found.from_ref.latest_commit,
            url: links.next().map(|link| link.href).unwrap_or_default(),
        }
    }
}

impl From<Build> for CommitStatus {
    fn from(found: Build) -> Self {
        let state = match found.state.as_str() {
            "SUCCESSFUL" => CommitState::Success,
            "INPROGRESS" => CommitState::Pending,
            _ => CommitState::Failure,
        };
        Self {
            context: found.name.unwrap_or(found.key),
            state,
            description: found.description.unwrap_or_default(),
            url: found.url,
        }
    }
}

impl From<CommentEntry> for Comment {
    fn from(found: CommentEntry) -> Self {
        Self {
            id: found.id,
            author: found.author.name,
            body: found.text,
        }
    }
}

impl From<Hook> for Webhook {
    fn from(found: Hook) -> Self {
        let event = |name: &String| match name.split(':').next() {
            Some("repo") => Some(Event::Push),
            Some("pr") => Some(Event::PullRequest),
            _ => None,
        };
        let mut events: Vec<_> = found.events.iter().filter_map(event).collect();
        events.sort();
        events.dedup();
        Self {
            id: found.id.to_string(),
            url: found.url,
            events,
            is_active: found.active,
        }
    }
}

pub(super) fn pull_body(new: &NewPullRequest) -> Value {
    let side = |branch: &str| json!({ "id": format!("refs/heads/{branch}") });
    json!({
        "title": new.title, "description": new.body, "fromRef": side(&new.head), "toRef": side(&new.base),
    })
}

pub(super) fn status_body(status: &CommitStatus) -> Value {
    let state = match status.state {
        CommitState::Pending => "INPROGRESS",
        CommitState::Success => "SUCCESSFUL",
        CommitState::Failure => "FAILED",
    };
    let url = status.url.as_deref().unwrap_or("https://bitbucket.org");
    json!({
        "key": status.context, "name": status.context, "state": state, "description": status.description, "url": url,
    })
}

/// It sends no events of builds.
pub(super) fn hook_body(new: &NewWebhook) -> Value {
    let names = |event: &Event| match event {
        Event::Push => vec!["repo:refs_changed"],
        Event::PullRequest => PULL_EVENTS.to_vec(),
        Event::Status => Vec::new(),
    };
    let events: Vec<_> = new.events.iter().flat_map(names).collect();
    json!({
        "name": "Causeway", "url": new.url, "active": true, "events": events,
        "configuration": { "secret": new.secret.expose() },
    })
}
