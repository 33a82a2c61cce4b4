//! Calls of Bitbucket Data Center that take more than one request or a decision.

use bytes::Bytes;
use reqwest::Method;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{BitbucketDataCenter, LIMIT, NAME, shape};
use crate::{
    Branch, Comment, Comparison, Cursor, FileEntry, MergeMethod, MergeOrder, MergeOutcome, Page,
    ProviderError, PullRequest, PullRequestFilter, PullRequestState, RefName, Repository,
    RepositoryName, gitea::refused, github_style::LARGEST_FILE, http::Call, merge::decided,
    name::path_segments,
};

impl BitbucketDataCenter {
    /// The name of the user is in a header of every answer.
    pub(super) async fn account(&self) -> Result<String, ProviderError> {
        let call = Call::get(&["api", "1.0", "application-properties"]);
        let answer = self.api.send(call).await?.check("account");
        let answer = answer.map_err(|error| self.api.other_provider(error))?;
        let properties: shape::Properties = answer
            .json()
            .map_err(|error| self.api.other_provider(error))?;
        if properties.display_name != "Bitbucket" {
            return Err(self
                .api
                .other_provider(self.api.http.malformed("another program")));
        }
        let name = answer.headers.get("x-ausername");
        let name = name.and_then(|value| value.to_str().ok());
        // Without a user it answers all who may look without signing in.
        name.map(str::to_owned)
            .ok_or(ProviderError::Unauthorized { provider: NAME })
    }

    /// One page; the next one starts at a number.
    pub(super) async fn page<T: DeserializeOwned, U>(
        &self,
        call: Call,
        cursor: Option<Cursor>,
        convert: impl Fn(T) -> U,
    ) -> Result<Page<U>, ProviderError> {
        let mut call = call.query("limit", LIMIT);
        if let Some(Cursor(start)) = cursor {
            call = call.query("start", start);
        }
        let found: shape::Values<T> = self.api.json(call).await?;
        let next = found.next_page_start.filter(|_| !found.is_last_page);
        Ok(Page {
            items: found.values.into_iter().map(convert).collect(),
            next: next.map(|start| Cursor(start.to_string())),
        })
    }

    pub(super) async fn search(
        &self,
        search: &str,
        cursor: Option<Cursor>,
    ) -> Result<Page<Repository>, ProviderError> {
        let mut call = Call::get(&["api", "1.0", "repos"]);
        if !search.is_empty() {
            call = call.query("name", search);
        }
        let page = self.page(call, cursor, |found: shape::Repository| found);
        let Page { items, next } = page.await?;
        let items: Result<Vec<_>, _> = items.into_iter().map(Repository::try_from).collect();
        Ok(Page {
            items: items?,
            next,
        })
    }

    /// The default branch is another request, and absent in an empty repository.
    pub(super) async fn read_repository(
        &self,
        repository: &RepositoryName,
    ) -> Result<Repository, ProviderError> {
        let found: shape::Repository = self.api.json(Self::get(repository, &[])).await?;
        let call = Self::get(repository, &["default-branch"]);
        let branch = match self.api.json::<shape::Side>(call).await {
            Ok(found) => Some(found.display_id),
            Err(ProviderError::NotFound { .. }) => None,
            Err(error) => return Err(error),
        };
        Ok(Repository {
            default_branch: branch,
            ..Repository::try_from(found)?
        })
    }

    pub(super) async fn find_branch(
        &self,
        repository: &RepositoryName,
        branch: &RefName,
    ) -> Result<Branch, ProviderError> {
        let call = Self::get(repository, &["branches"])
            .query("filterText", branch.as_str())
            .query("boostMatches", "true");
        let convert = |found: shape::BranchEntry| Branch::from(found);
        let found = self.page(call, None, convert).await?.items;
        let mut found = found.into_iter();
        let exact = found.find(|found| found.name == branch.as_str());
        exact.ok_or_else(|| ProviderError::NotFound {
            what: format!("branch {branch}"),
        })
    }

    pub(super) async fn list_files(
        &self,
        repository: &RepositoryName,
        at: &RefName,
        folder: &str,
    ) -> Result<Vec<FileEntry>, ProviderError> {
        let mut segments = vec!["browse"];
        segments.extend(path_segments(folder)?);
        let call = Self::get(repository, &segments)
            .query("at", at.as_str())
            .query("limit", "1000");
        let found: shape::Folder = self.api.json(call).await?;
        if !found.children.is_last_page {
            return Err(ProviderError::TooLarge {
                what: folder.to_owned(),
                limit: 1000,
            });
        }
        let entries = found.children.values.into_iter();
        Ok(entries.map(|entry| entry.below(folder)).collect())
    }

    pub(super) async fn read_raw(
        &self,
        repository: &RepositoryName,
        at: &RefName,
        path: &str,
    ) -> Result<Bytes, ProviderError> {
        let mut segments = vec!["raw"];
        segments.extend(path_segments(path)?);
        let call = Self::get(repository, &segments).query("at", at.as_str());
        let call = call.accept("*/*").limit(LARGEST_FILE);
        self.api.send(call).await?.into_file(path)
    }

    /// Commits are listed newest first, and files apart.
    pub(super) async fn read_difference(
        &self,
        repository: &RepositoryName,
        base: &RefName,
        head: &RefName,
    ) -> Result<Comparison, ProviderError> {
        let between = |list: &str| {
            Self::get(repository, &["compare", list])
                .query("from", head.as_str())
                .query("to", base.as_str())
        };
        let commits = self.page(between("commits"), None, |found: shape::Commit| found.id);
        let commits = commits.await?;
        let files = self.page(between("changes"), None, shape::Change::into_path);
        let files = files.await?;
        let mut paths = files.items;
        paths.sort();
        Ok(Comparison {
            commits: commits.items.into_iter().rev().collect(),
            files: paths,
            is_complete: commits.next.is_none() && files.next.is_none(),
        })
    }

    pub(super) async fn list_pulls(
        &self,
        repository: &RepositoryName,
        filter: PullRequestFilter,
    ) -> Result<Page<PullRequest>, ProviderError> {
        let state = match filter {
            PullRequestFilter::Open => "OPEN",
            PullRequestFilter::All => "ALL",
        };
        let call = Self::get(repository, &["pull-requests"]).query("state", state);
        let convert = |found: shape::Pull| PullRequest::from(found);
        self.page(call, None, convert).await
    }

    pub(super) async fn find(
        &self,
        repository: &RepositoryName,
        head: &RefName,
        base: &RefName,
    ) -> Result<Option<PullRequest>, ProviderError> {
        let call = Self::get(repository, &["pull-requests"])
            .query("at", format!("refs/heads/{head}"))
            .query("direction", "OUTGOING")
            .query("state", "ALL");
        let convert = |found: shape::Pull| PullRequest::from(found);
        let mut found = self.page(call, None, convert).await?.items;
        found.retain(|pull| pull.base_branch == base.as_str());
        let is_open = |pull: &&PullRequest| pull.state == PullRequestState::Open;
        Ok(found.iter().find(is_open).or(found.first()).cloned())
    }

    pub(super) async fn read_pull(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<shape::Pull, ProviderError> {
        let path = ["pull-requests", &number.to_string()];
        self.api.json(Self::get(repository, &path)).await
    }

    /// The version is that of the pull request whose head was compared.
    pub(super) async fn merge(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
    ) -> Result<MergeOutcome, ProviderError> {
        let before = self.read_pull(repository, order.number).await?;
        let version = before.version;
        if let Some(outcome) = decided(before.into(), order) {
            return Ok(outcome);
        }
        let path = ["pull-requests", &order.number.to_string(), "merge"];
        let able: shape::MergeState = self.api.json(Self::get(repository, &path)).await?;
        if let Some(outcome) = able.waits() {
            return Ok(outcome);
        }
        let call = Self::call(Method::POST, repository, &path)
            .query("version", version.to_string())
            .body(merge_body(order));
        let answer = self.api.send(call).await?;
        if !matches!(answer.status.as_u16(), 200 | 409) {
            return Err(refused(answer, order.number));
        }
        let after = self.read_pull(repository, order.number).await?;
        let contended = || MergeOutcome::Contended(answer.reason());
        Ok(decided(after.into(), order).unwrap_or_else(contended))
    }

    pub(super) async fn decline(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<(), ProviderError> {
        let version = self.read_pull(repository, number).await?.version;
        let path = ["pull-requests", &number.to_string(), "decline"];
        let call = Self::call(Method::POST, repository, &path);
        let call = call.query("version", version.to_string());
        self.api.done(call.body(json!({}))).await
    }

    pub(super) async fn add_approval(
        &self,
        repository: &RepositoryName,
        number: u64,
        head: &str,
    ) -> Result<(), ProviderError> {
        let user = self.account().await?;
        let path = ["pull-requests", &number.to_string(), "participants", &user];
        let body = json!({ "status": "APPROVED", "lastReviewedCommit": head });
        let call = Self::call(Method::PUT, repository, &path);
        self.api.done(call.body(body)).await
    }

    /// Comments are among the activities, which are newest first.
    pub(super) async fn read_comments(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<Vec<Comment>, ProviderError> {
        let path = ["pull-requests", &number.to_string(), "activities"];
        let convert = |found: shape::Activity| found.comment;
        let found = self.page(Self::get(repository, &path), None, convert);
        let comments = found.await?.items.into_iter().flatten().rev();
        Ok(comments.map(Comment::from).collect())
    }
}

fn merge_body(order: &MergeOrder) -> Value {
    let strategy = match order.method {
        MergeMethod::Merge => "no-ff",
        MergeMethod::Squash => "squash",
        MergeMethod::Rebase => "rebase-ff-only",
    };
    json!({
        "strategyId": strategy,
        "message": format!("{}\n\n{}", order.title, order.message),
    })
}
