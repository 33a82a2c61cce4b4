//! JSON of Bitbucket Cloud: only the fields that are read.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Approval, Branch, Comment, CommitState, CommitStatus, Decision, EntryKind, Event, FileEntry,
    Mergeability, NewWebhook, ProviderError, PullRequest, PullRequestState, RepositoryName,
    Webhook,
};

/// The longest key of a status.
const KEY: usize = 40;
const PULL_EVENTS: [&str; 5] = [
    "pullrequest:created",
    "pullrequest:updated",
    "pullrequest:approved",
    "pullrequest:fulfilled",
    "pullrequest:rejected",
];

#[derive(Debug, Deserialize)]
pub(super) struct Values<T> {
    pub(super) values: Vec<T>,
    pub(super) next: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Account {
    #[serde(alias = "username")]
    pub(super) nickname: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Workspace {
    pub(super) slug: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Repository {
    full_name: String,
    mainbranch: Option<Named>,
    links: RepositoryLinks,
}

#[derive(Debug, Deserialize)]
struct RepositoryLinks {
    #[serde(default)]
    clone: Vec<Link>,
}

#[derive(Debug, Deserialize)]
struct Link {
    #[serde(default)]
    name: String,
    href: String,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Commit {
    pub(super) hash: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Resolved {
    pub(super) hash: Option<String>,
    pub(super) target: Option<Commit>,
}

#[derive(Debug, Deserialize)]
pub(super) struct BranchEntry {
    name: String,
    target: Commit,
}

#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    path: String,
    r#type: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Difference {
    old: Option<Path>,
    new: Option<Path>,
}

#[derive(Debug, Deserialize)]
struct Path {
    path: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Pull {
    id: u64,
    title: String,
    state: String,
    source: Side,
    destination: Side,
    merge_commit: Option<Commit>,
    #[serde(default)]
    participants: Vec<Participant>,
    links: PullLinks,
}

#[derive(Debug, Deserialize)]
struct PullLinks {
    html: Option<Link>,
}

#[derive(Debug, Deserialize)]
struct Side {
    branch: Named,
    /// Absent once the branch is deleted.
    commit: Option<Commit>,
}

#[derive(Debug, Deserialize)]
struct Participant {
    user: Person,
    state: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Person {
    #[serde(default)]
    nickname: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Status {
    key: String,
    name: Option<String>,
    state: String,
    description: Option<String>,
    url: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CommentEntry {
    id: u64,
    user: Option<Person>,
    content: Content,
}

#[derive(Debug, Deserialize)]
struct Content {
    raw: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Hook {
    uuid: String,
    url: String,
    active: bool,
    events: Vec<String>,
}

impl TryFrom<Repository> for crate::Repository {
    type Error = ProviderError;

    fn try_from(found: Repository) -> Result<Self, ProviderError> {
        let mut links = found.links.clone.into_iter();
        let link = links.find(|link| link.name == "https");
        Ok(Self {
            name: RepositoryName::parse(&found.full_name)?,
            default_branch: found.mainbranch.map(|branch| branch.name),
            clone_url: link.map(|link| link.href).unwrap_or_default(),
            is_archived: false,
        })
    }
}

impl From<BranchEntry> for Branch {
    fn from(found: BranchEntry) -> Self {
        Self {
            name: found.name,
            commit: found.target.hash,
            // Rules of branches are another list, which needs an admin.
            is_protected: false,
        }
    }
}

impl From<Entry> for FileEntry {
    fn from(found: Entry) -> Self {
        let kind = match found.r#type.as_str() {
            "commit_file" => EntryKind::File,
            "commit_directory" => EntryKind::Folder,
            _ => EntryKind::Other,
        };
        Self {
            path: found.path,
            kind,
        }
    }
}

impl Difference {
    pub(super) fn paths(self) -> Vec<String> {
        let both = [self.old, self.new].into_iter().flatten();
        both.map(|it| it.path).collect()
    }
}

impl Pull {
    pub(super) fn is_open(&self) -> bool {
        self.state == "OPEN"
    }

    pub(super) fn into_approvals(self) -> Vec<Approval> {
        let approval = |found: Participant| {
            let decision = match found.state?.as_str() {
                "approved" => Decision::Approved,
                "changes_requested" => Decision::ChangesRequested,
                _ => return None,
            };
            Some(Approval {
                user: found.user.nickname,
                decision,
                head: None,
                is_stale: false,
            })
        };
        self.participants.into_iter().filter_map(approval).collect()
    }
}

impl From<Pull> for PullRequest {
    fn from(found: Pull) -> Self {
        let merged = found.merge_commit.map(|commit| commit.hash);
        let state = match found.state.as_str() {
            "OPEN" => PullRequestState::Open,
            "MERGED" => PullRequestState::Merged(merged),
            _ => PullRequestState::Closed,
        };
        let head = found.source.commit.map(|commit| commit.hash);
        Self {
            state,
            // Only the merge itself tells.
            mergeability: Mergeability::Unknown,
            number: found.id,
            title: found.title,
            head_branch: found.source.branch.name,
            base_branch: found.destination.branch.name,
            head: head.unwrap_or_default(),
            url: found.links.html.map(|link| link.href).unwrap_or_default(),
        }
    }
}

impl From<Status> for CommitStatus {
    fn from(found: Status) -> Self {
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
            author: found.user.map(|user| user.nickname).unwrap_or_default(),
            body: found.content.raw.unwrap_or_default(),
        }
    }
}

impl From<Hook> for Webhook {
    fn from(found: Hook) -> Self {
        let event = |name: &String| match name.split(':').next() {
            Some("repo") if name == "repo:push" => Some(Event::Push),
            Some("repo") => Some(Event::Status),
            Some("pullrequest") => Some(Event::PullRequest),
            _ => None,
        };
        let mut events: Vec<_> = found.events.iter().filter_map(event).collect();
        events.sort();
        events.dedup();
        Self {
            id: found.uuid,
            url: found.url,
            events,
            is_active: found.active,
        }
    }
}

/// A status has a short key, and a link, without which it is refused.
pub(super) fn status_body(status: &CommitStatus) -> Value {
    let state = match status.state {
        CommitState::Pending => "INPROGRESS",
        CommitState::Success => "SUCCESSFUL",
        CommitState::Failure => "FAILED",
    };
    let key: String = status.context.chars().take(KEY).collect();
    let url = status.url.as_deref().unwrap_or("https://bitbucket.org");
    json!({
        "key": key, "name": status.context, "state": state, "description": status.description, "url": url,
    })
}

pub(super) fn hook_body(new: &NewWebhook) -> Value {
    let names = |event: &Event| match event {
        Event::Push => vec!["repo:push"],
        Event::PullRequest => PULL_EVENTS.to_vec(),
        Event::Status => vec!["repo:commit_status_created", "repo:commit_status_updated"],
    };
    let events: Vec<_> = new.events.iter().flat_map(names).collect();
    json!({
        "description": "Causeway", "url": new.url, "active": true, "secret": new.secret.expose(), "events": events,
    })
}
