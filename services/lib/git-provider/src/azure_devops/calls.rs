//! Calls of Azure DevOps that take more than one request or a decision.

use bytes::Bytes;
use reqwest::Method;
use serde_json::{Value, json};

use super::{AzureDevOps, VERSION, shape};
use crate::{
    Branch, Comment, Comparison, Cursor, FileEntry, MergeMethod, MergeOrder, MergeOutcome,
    Mergeability, Organisation, Page, ProviderError, PullRequest, PullRequestFilter,
    PullRequestState, RefName, Repository, RepositoryName, gitea::refused,
    github_style::LARGEST_FILE, http::Call, merge::decided, name::path_segments,
};

/// Entries of a list that is read in one request.
const TOP: &str = "1000";
const COMPARED: usize = 1000;
/// Pull requests that are listed.
const PULLS: usize = 100;

impl AzureDevOps {
    /// The account, whose id votes and completions need.
    pub(super) async fn account(&self) -> Result<shape::Account, ProviderError> {
        let call = Call::get(&["_apis", "connectionData"]).query("api-version", "7.1-preview");
        let found = self.api.json::<shape::ConnectionState>(call).await;
        let found = found.map_err(|error| self.api.other_provider(error))?;
        Ok(found.authenticated_user)
    }

    pub(super) async fn projects(&self) -> Result<Page<Organisation>, ProviderError> {
        let call = Call::get(&["_apis", "projects"])
            .query("api-version", VERSION)
            .query("$top", TOP);
        let found: shape::Values<shape::Named> = self.api.json(call).await?;
        let name = |found: shape::Named| Organisation { name: found.name };
        Ok(Page {
            items: found.value.into_iter().map(name).collect(),
            next: None,
        })
    }

    /// Azure DevOps lists all repositories at once and has no search.
    pub(super) async fn search(&self, search: &str) -> Result<Page<Repository>, ProviderError> {
        let call = Call::get(&["_apis", "git", "repositories"]).query("api-version", VERSION);
        let found: shape::Values<shape::Repository> = self.api.json(call).await?;
        let found = found.value.into_iter().map(Repository::try_from);
        let mut items = found.collect::<Result<Vec<_>, _>>()?;
        let search = search.to_lowercase();
        items.retain(|found| found.name.as_str().to_lowercase().contains(&search));
        Ok(Page { items, next: None })
    }

    /// Branches whose name starts with a filter.
    pub(super) async fn heads(
        &self,
        repository: &RepositoryName,
        filter: &str,
    ) -> Result<Vec<Branch>, ProviderError> {
        let call = Self::get(repository, &["refs"])
            .query("filter", filter)
            .query("$top", TOP);
        let found: shape::Values<shape::Ref> = self.api.json(call).await?;
        Ok(found.value.into_iter().map(Branch::from).collect())
    }

    pub(super) async fn list_files(
        &self,
        repository: &RepositoryName,
        at: &RefName,
        folder: &str,
    ) -> Result<Vec<FileEntry>, ProviderError> {
        path_segments(folder)?;
        let call = Self::get(repository, &["items"])
            .query("scopePath", format!("/{folder}"))
            .query("recursionLevel", "oneLevel");
        let found: shape::Values<shape::Item> = self.api.json(versioned(call, at)).await?;
        let entries = found.value.into_iter().map(FileEntry::from);
        // The folder itself is listed, too.
        Ok(entries.filter(|entry| entry.path != folder).collect())
    }

    pub(super) async fn read_item(
        &self,
        repository: &RepositoryName,
        at: &RefName,
        path: &str,
    ) -> Result<Bytes, ProviderError> {
        path_segments(path)?;
        let call = Self::get(repository, &["items"])
            .query("path", format!("/{path}"))
            .query("$format", "octetStream");
        let call = versioned(call, at).accept("application/octet-stream");
        self.api
            .send(call.limit(LARGEST_FILE))
            .await?
            .into_file(path)
    }

    pub(super) async fn read_difference(
        &self,
        repository: &RepositoryName,
        base: &RefName,
        head: &RefName,
    ) -> Result<Comparison, ProviderError> {
        let call = Self::get(repository, &["commits"])
            .query("searchCriteria.itemVersion.version", head.as_str())
            .query("searchCriteria.itemVersion.versionType", kind(head))
            .query("searchCriteria.compareVersion.version", base.as_str())
            .query("searchCriteria.compareVersion.versionType", kind(base))
            .query("searchCriteria.$top", TOP);
        let commits: shape::Values<shape::Commit> = self.api.json(call).await?;
        let call = Self::get(repository, &["diffs", "commits"])
            .query("baseVersion", base.as_str())
            .query("baseVersionType", kind(base))
            .query("targetVersion", head.as_str())
            .query("targetVersionType", kind(head))
            .query("$top", TOP);
        let changes: shape::Changes = self.api.json(call).await?;
        let files = changes.into_paths();
        let ids = commits.value.into_iter().map(|commit| commit.commit_id);
        let commits: Vec<_> = ids.collect();
        Ok(Comparison {
            is_complete: commits.len() < COMPARED && files.len() < COMPARED,
            commits: commits.into_iter().rev().collect(),
            files,
        })
    }

    pub(super) async fn list_pulls(
        &self,
        repository: &RepositoryName,
        filter: PullRequestFilter,
    ) -> Result<Page<PullRequest>, ProviderError> {
        let status = match filter {
            PullRequestFilter::Open => "active",
            PullRequestFilter::All => "all",
        };
        let call = Self::get(repository, &["pullrequests"])
            .query("searchCriteria.status", status)
            .query("$top", PULLS.to_string());
        let found: shape::Values<shape::Pull> = self.api.json(call).await?;
        let items: Vec<_> = found.value.into_iter().map(PullRequest::from).collect();
        // It names no next page.
        let next = (items.len() == PULLS).then(|| Cursor(PULLS.to_string()));
        Ok(Page { items, next })
    }

    pub(super) async fn find(
        &self,
        repository: &RepositoryName,
        head: &RefName,
        base: &RefName,
    ) -> Result<Option<PullRequest>, ProviderError> {
        let call = Self::get(repository, &["pullrequests"])
            .query("searchCriteria.sourceRefName", format!("refs/heads/{head}"))
            .query("searchCriteria.targetRefName", format!("refs/heads/{base}"))
            .query("searchCriteria.status", "all");
        let found: shape::Values<shape::Pull> = self.api.json(call).await?;
        let found: Vec<_> = found.value.into_iter().map(PullRequest::from).collect();
        let is_open = |pull: &&PullRequest| pull.state == PullRequestState::Open;
        Ok(found.iter().find(is_open).or(found.first()).cloned())
    }

    pub(super) async fn read_pull(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<shape::Pull, ProviderError> {
        let call = Self::get(repository, &["pullrequests", &number.to_string()]);
        self.api.json(call).await
    }

    /// A completion goes on after its request; the state tells how it ended.
    pub(super) async fn merge(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
    ) -> Result<MergeOutcome, ProviderError> {
        let before = PullRequest::from(self.read_pull(repository, order.number).await?);
        let mergeability = before.mergeability.clone();
        if let Some(outcome) = decided(before, order) {
            return Ok(outcome);
        }
        if let Some(outcome) = waits(&mergeability) {
            return Ok(outcome);
        }
        let body = json!({
            "status": "completed",
            "lastMergeSourceCommit": { "commitId": order.head },
            "completionOptions": options(order),
        });
        self.change(repository, order, body).await
    }

    pub(super) async fn schedule(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
    ) -> Result<MergeOutcome, ProviderError> {
        let before = PullRequest::from(self.read_pull(repository, order.number).await?);
        if let Some(outcome) = decided(before, order) {
            return Ok(outcome);
        }
        let body = json!({
            "autoCompleteSetBy": { "id": self.account().await?.id },
            "completionOptions": options(order),
        });
        match self.change(repository, order, body).await? {
            MergeOutcome::NotYet(_) | MergeOutcome::Contended(_) | MergeOutcome::Refused(_) => {
                Ok(MergeOutcome::Scheduled)
            }
            outcome @ (MergeOutcome::Merged(_)
            | MergeOutcome::Scheduled
            | MergeOutcome::HeadMoved(_)
            | MergeOutcome::Closed) => Ok(outcome),
        }
    }

    async fn change(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
        body: Value,
    ) -> Result<MergeOutcome, ProviderError> {
        let path = ["pullrequests", &order.number.to_string()];
        let call = Self::call(Method::PATCH, repository, &path).body(body);
        let answer = self.api.send(call).await?;
        if !matches!(answer.status.as_u16(), 200 | 409) {
            return Err(refused(answer, order.number));
        }
        let after = PullRequest::from(self.read_pull(repository, order.number).await?);
        let mergeability = after.mergeability.clone();
        if let Some(outcome) = decided(after, order) {
            return Ok(outcome);
        }
        if answer.status.as_u16() == 409 {
            return Ok(MergeOutcome::Contended(answer.reason()));
        }
        let goes_on = || MergeOutcome::NotYet("Azure DevOps is merging it".to_owned());
        Ok(waits(&mergeability).unwrap_or_else(goes_on))
    }

    pub(super) async fn abandon(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<(), ProviderError> {
        let path = ["pullrequests", &number.to_string()];
        let call = Self::call(Method::PATCH, repository, &path);
        self.api
            .done(call.body(json!({ "status": "abandoned" })))
            .await
    }

    pub(super) async fn vote(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<(), ProviderError> {
        let id = self.account().await?.id;
        let path = ["pullrequests", &number.to_string(), "reviewers", &id];
        let call = Self::call(Method::PUT, repository, &path);
        self.api
            .done(call.body(json!({ "id": id, "vote": 10 })))
            .await
    }

    /// The first comments of threads; those of Azure DevOps itself are left out.
    pub(super) async fn read_threads(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<Vec<Comment>, ProviderError> {
        let path = ["pullrequests", &number.to_string(), "threads"];
        let found: shape::Values<shape::Thread> =
            self.api.json(Self::get(repository, &path)).await?;
        let written = found.value.into_iter();
        Ok(written.filter_map(shape::Thread::into_comment).collect())
    }

    pub(super) async fn add_thread(
        &self,
        repository: &RepositoryName,
        number: u64,
        body: &str,
    ) -> Result<Comment, ProviderError> {
        let path = ["pullrequests", &number.to_string(), "threads"];
        let comment = json!({ "parentCommentId": 0, "content": body, "commentType": "text" });
        let call = Self::call(Method::POST, repository, &path);
        let call = call.body(json!({ "comments": [comment], "status": "active" }));
        let made: shape::Thread = self.api.json(call).await?;
        let comment = made.into_comment();
        comment.ok_or_else(|| self.api.http.malformed("a thread without a comment"))
    }
}

/// What the state alone decides.
fn waits(mergeability: &Mergeability) -> Option<MergeOutcome> {
    match mergeability {
        Mergeability::Mergeable => None,
        Mergeability::Unknown => Some(MergeOutcome::NotYet(
            "Azure DevOps computes whether it can be merged".to_owned(),
        )),
        Mergeability::Conflicting => Some(MergeOutcome::Refused(
            "it conflicts with its target branch".to_owned(),
        )),
        Mergeability::Blocked(status) => Some(MergeOutcome::Refused(status.clone())),
    }
}

fn options(order: &MergeOrder) -> Value {
    let strategy = match order.method {
        MergeMethod::Merge => "noFastForward",
        MergeMethod::Squash => "squash",
        MergeMethod::Rebase => "rebase",
    };
    json!({
        "mergeStrategy": strategy,
        "deleteSourceBranch": false,
        "mergeCommitMessage": format!("{}\n\n{}", order.title, order.message),
    })
}

fn versioned(call: Call, at: &RefName) -> Call {
    call.query("versionDescriptor.version", at.as_str())
        .query("versionDescriptor.versionType", kind(at))
}

/// A branch could be named like a commit; whole ids are taken for commits.
fn kind(at: &RefName) -> &'static str {
    let text = at.as_str();
    let is_commit = text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_commit { "commit" } else { "branch" }
}
