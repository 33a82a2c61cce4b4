//! Calls of GitLab that take more than one request or a decision.

use bytes::Bytes;
use reqwest::Method;
use serde_json::{Value, json};

use super::{GitLab, NAME, PAGE, shape};
use crate::{
    Approval, Comment, CommitState, CommitStatus, Cursor, Decision, FileEntry, MergeMethod,
    MergeOrder, MergeOutcome, Mergeability, Page, ProviderError, PullRequest, PullRequestFilter,
    PullRequestState, RefName, Repository, RepositoryName, gitea::refused,
    github_style::LARGEST_FILE, http::Call, merge::decided, name::path_segments,
};

/// Pages of a folder that are read.
const MAX_PAGES: usize = 20;

impl GitLab {
    pub(super) async fn search(
        &self,
        search: &str,
        cursor: Option<Cursor>,
    ) -> Result<Page<Repository>, ProviderError> {
        let call = Call::get(&["projects"])
            .query("membership", "true")
            .query("search", search)
            .query("order_by", "id")
            .query("per_page", PAGE)
            .at(cursor);
        let page = self.api.page(call, |found: shape::Project| found);
        let Page { items, next } = page.await?;
        let items: Result<Vec<_>, _> = items.into_iter().map(Repository::try_from).collect();
        Ok(Page {
            items: items?,
            next,
        })
    }

    pub(super) async fn list_files(
        &self,
        repository: &RepositoryName,
        at: &RefName,
        folder: &str,
    ) -> Result<Vec<FileEntry>, ProviderError> {
        path_segments(folder)?;
        let call = Self::get(repository, &["repository", "tree"])
            .query("ref", at.as_str())
            .query("path", folder)
            .query("per_page", PAGE);
        let (mut entries, mut cursor) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let convert = |found: shape::Entry| FileEntry::from(found);
            let page = self.api.page(call.clone().at(cursor), convert).await?;
            entries.extend(page.items);
            cursor = page.next;
            if cursor.is_none() {
                return Ok(entries);
            }
        }
        Err(ProviderError::TooLarge {
            what: folder.to_owned(),
            limit: MAX_PAGES,
        })
    }

    /// The path is one segment of the URL, with its slashes escaped.
    pub(super) async fn read_raw(
        &self,
        repository: &RepositoryName,
        at: &RefName,
        path: &str,
    ) -> Result<Bytes, ProviderError> {
        path_segments(path)?;
        let call = Self::get(repository, &["repository", "files", path, "raw"])
            .query("ref", at.as_str())
            .limit(LARGEST_FILE);
        self.api.send(call).await?.into_file(path)
    }

    pub(super) async fn find(
        &self,
        repository: &RepositoryName,
        head: &RefName,
        base: &RefName,
    ) -> Result<Option<PullRequest>, ProviderError> {
        let call = Self::get(repository, &["merge_requests"])
            .query("source_branch", head.as_str())
            .query("target_branch", base.as_str());
        let convert = |found: shape::MergeRequest| PullRequest::from(found);
        let found = self.api.page(call, convert).await?.items;
        let is_open = |pull: &&PullRequest| pull.state == PullRequestState::Open;
        let open = found.iter().find(is_open);
        Ok(open.or(found.first()).cloned())
    }

    pub(super) async fn list_requests(
        &self,
        repository: &RepositoryName,
        filter: PullRequestFilter,
    ) -> Result<Page<PullRequest>, ProviderError> {
        let state = match filter {
            PullRequestFilter::Open => "opened",
            PullRequestFilter::All => "all",
        };
        let call = Self::get(repository, &["merge_requests"])
            .query("state", state)
            .query("per_page", PAGE);
        let convert = |found: shape::MergeRequest| PullRequest::from(found);
        self.api.page(call, convert).await
    }

    pub(super) async fn read_request(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<shape::MergeRequest, ProviderError> {
        let number = number.to_string();
        let call = Self::get(repository, &["merge_requests", &number]);
        self.api.json(call).await
    }

    pub(super) async fn merge(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
    ) -> Result<MergeOutcome, ProviderError> {
        let before = PullRequest::from(self.read_request(repository, order.number).await?);
        let mergeability = before.mergeability.clone();
        if let Some(outcome) = decided(before, order) {
            return Ok(outcome);
        }
        match mergeability {
            Mergeability::Unknown => Ok(MergeOutcome::NotYet(
                "GitLab computes whether it can be merged".to_owned(),
            )),
            Mergeability::Conflicting => Ok(MergeOutcome::Refused(
                "it conflicts with its target branch".to_owned(),
            )),
            Mergeability::Blocked(status) => Ok(MergeOutcome::Refused(status)),
            Mergeability::Mergeable => self.send_merge(repository, order, merge_body(order)).await,
        }
    }

    /// Both names of the option are sent: older servers know only the second.
    pub(super) async fn schedule(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
    ) -> Result<MergeOutcome, ProviderError> {
        let before = PullRequest::from(self.read_request(repository, order.number).await?);
        let mergeability = before.mergeability.clone();
        if let Some(outcome) = decided(before, order) {
            return Ok(outcome);
        }
        match mergeability {
            Mergeability::Conflicting => Ok(MergeOutcome::Refused(
                "it conflicts with its target branch".to_owned(),
            )),
            Mergeability::Unknown | Mergeability::Blocked(_) | Mergeability::Mergeable => {
                let mut body = merge_body(order);
                body["auto_merge"] = json!(true);
                body["merge_when_pipeline_succeeds"] = json!(true);
                self.send_merge(repository, order, body).await
            }
        }
    }

    async fn send_merge(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
        body: Value,
    ) -> Result<MergeOutcome, ProviderError> {
        let is_scheduled = body["auto_merge"].is_boolean();
        let number = order.number.to_string();
        let path = ["merge_requests", &number, "merge"];
        let call = Self::call(Method::PUT, repository, &path).body(body);
        let answer = self.api.send(call).await?;
        let status = answer.status.as_u16();
        if !matches!(status, 200 | 405 | 406 | 409 | 422) {
            return Err(refused(answer, order.number));
        }
        let after = PullRequest::from(self.read_request(repository, order.number).await?);
        let mergeability = after.mergeability.clone();
        if let Some(outcome) = decided(after, order) {
            return Ok(outcome);
        }
        Ok(match (status, mergeability) {
            (200, _) if is_scheduled => MergeOutcome::Scheduled,
            (200, _) => MergeOutcome::NotYet("merged, but not shown yet".to_owned()),
            (_, Mergeability::Unknown) => MergeOutcome::NotYet(answer.reason()),
            (_, Mergeability::Mergeable) => MergeOutcome::Contended(answer.reason()),
            (_, Mergeability::Conflicting) => {
                MergeOutcome::Refused("it conflicts with its target branch".to_owned())
            }
            (_, Mergeability::Blocked(status)) => MergeOutcome::Refused(status),
        })
    }

    pub(super) async fn read_approvals(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<Vec<Approval>, ProviderError> {
        let number = number.to_string();
        let call = Self::get(repository, &["merge_requests", &number, "approvals"]);
        let found: shape::Approvals = self.api.json(call).await?;
        let approval = |by: shape::ApprovedBy| Approval {
            user: by.user.username,
            decision: Decision::Approved,
            // A push removes approvals where the project says so.
            head: None,
            is_stale: false,
        };
        Ok(found.approved_by.into_iter().map(approval).collect())
    }

    /// GitLab answers 401 to a user who may not approve; the credential is good.
    pub(super) async fn add_approval(
        &self,
        repository: &RepositoryName,
        number: u64,
        head: &str,
    ) -> Result<(), ProviderError> {
        let number = number.to_string();
        let path = ["merge_requests", &number, "approve"];
        let call = Self::call(Method::POST, repository, &path).body(json!({ "sha": head }));
        match self.api.done(call).await {
            Err(ProviderError::Unauthorized { provider }) => Err(ProviderError::Forbidden {
                provider,
                reason: "this user may not approve it".to_owned(),
            }),
            decided => decided,
        }
    }

    /// The same state twice is refused by GitLab, and is a success here.
    pub(super) async fn write_status(
        &self,
        repository: &RepositoryName,
        commit: &RefName,
        status: &CommitStatus,
    ) -> Result<(), ProviderError> {
        let state = match status.state {
            CommitState::Pending => "pending",
            CommitState::Success => "success",
            CommitState::Failure => "failed",
        };
        let body = json!({
            "state": state, "name": status.context, "description": status.description, "target_url": status.url,
        });
        let call = Self::call(Method::POST, repository, &["statuses", commit.as_str()]);
        match self.api.done(call.body(body)).await {
            Err(ProviderError::Refused { reason, .. }) if reason.contains("Cannot transition") => {
                Ok(())
            }
            decided => decided,
        }
    }

    /// What users wrote, oldest first; the notes of GitLab itself are left out.
    pub(super) async fn read_notes(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<Vec<Comment>, ProviderError> {
        let number = number.to_string();
        let call = Self::get(repository, &["merge_requests", &number, "notes"])
            .query("sort", "asc")
            .query("order_by", "created_at")
            .query("per_page", PAGE);
        let found = self.api.page(call, |found: shape::Note| found).await?;
        let written = found.items.into_iter().filter(|note| !note.system);
        Ok(written.map(Comment::from).collect())
    }
}

fn merge_body(order: &MergeOrder) -> Value {
    let message = format!("{}\n\n{}", order.title, order.message);
    json!({
        "sha": order.head,
        "squash": order.method == MergeMethod::Squash,
        "merge_commit_message": message,
        "squash_commit_message": message,
        "should_remove_source_branch": false,
    })
}

impl TryFrom<shape::Project> for Repository {
    type Error = ProviderError;

    fn try_from(found: shape::Project) -> Result<Self, ProviderError> {
        let name = RepositoryName::parse(&found.path_with_namespace);
        let name = name.map_err(|_| ProviderError::Malformed {
            provider: NAME,
            reason: "a project without a group".to_owned(),
        })?;
        Ok(Self {
            name,
            default_branch: found.default_branch,
            clone_url: found.http_url_to_repo,
            is_archived: found.archived,
        })
    }
}
