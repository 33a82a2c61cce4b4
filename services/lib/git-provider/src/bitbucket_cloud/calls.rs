//! Calls of Bitbucket Cloud that take more than one request or a decision.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::time::sleep;

use super::{BitbucketCloud, NAME, shape};
use crate::{
    Comparison, Cursor, FileEntry, MergeMethod, MergeOrder, MergeOutcome, NewPullRequest, Page,
    ProviderError, PullRequest, PullRequestFilter, PullRequestState, RefName, Repository,
    RepositoryName, gitea::refused, github_style::LARGEST_FILE, http::Call, merge::decided,
    name::path_segments,
};

/// Looks at a merge that goes on; it is never requested twice.
const LOOKS: u32 = 60;
const PAUSE: Duration = Duration::from_millis(500);
/// Where a pull request may stand.
const STATES: [&str; 4] = ["OPEN", "MERGED", "DECLINED", "SUPERSEDED"];
/// The status of a merge that takes longer than a request.
const STILL_MERGING: u16 = 555;

impl BitbucketCloud {
    /// One page; the next one is named in the body.
    pub(super) async fn page<T: DeserializeOwned, U>(
        &self,
        call: Call,
        convert: impl Fn(T) -> U,
    ) -> Result<Page<U>, ProviderError> {
        let found: shape::Values<T> = self.api.json(call).await?;
        let next = found.next.map(|link| self.api.http.cursor(&link));
        Ok(Page {
            items: found.values.into_iter().map(convert).collect(),
            next: next.transpose()?,
        })
    }

    pub(super) async fn search(
        &self,
        search: &str,
        cursor: Option<Cursor>,
    ) -> Result<Page<Repository>, ProviderError> {
        let mut call = Call::get(&["repositories", &self.workspace]).query("pagelen", "100");
        if !search.is_empty() {
            call = call.query("q", format!("name ~ {}", quoted(search)));
        }
        let page = self.page(call.at(cursor), |found: shape::Repository| found);
        let Page { items, next } = page.await?;
        let items: Result<Vec<_>, _> = items.into_iter().map(Repository::try_from).collect();
        Ok(Page {
            items: items?,
            next,
        })
    }

    /// The whole id of a commit: names with slashes fit no path, and pull requests have short ids.
    async fn resolve(
        &self,
        repository: &RepositoryName,
        commit: &str,
    ) -> Result<String, ProviderError> {
        let call = if commit.contains('/') {
            Self::get(repository, &["refs", "branches", commit])
        } else {
            Self::get(repository, &["commit", commit])
        };
        let found: shape::Resolved = self.api.json(call).await?;
        let hash = found.hash.or(found.target.map(|target| target.hash));
        hash.ok_or_else(|| self.api.http.malformed("a commit without an id"))
    }

    pub(super) async fn list_files(
        &self,
        repository: &RepositoryName,
        at: &RefName,
        folder: &str,
    ) -> Result<Vec<FileEntry>, ProviderError> {
        let commit = self.resolve(repository, at.as_str()).await?;
        let mut segments = vec!["src", commit.as_str()];
        segments.extend(path_segments(folder)?);
        let call = Self::get(repository, &segments)
            .folder()
            .query("pagelen", "100");
        let (mut entries, mut cursor) = (Vec::new(), None);
        for _ in 0..LOOKS {
            let convert = |found: shape::Entry| FileEntry::from(found);
            let page = self.page(call.clone().at(cursor), convert).await?;
            entries.extend(page.items);
            cursor = page.next;
            if cursor.is_none() {
                return Ok(entries);
            }
        }
        Err(self.api.http.malformed("a folder without an end"))
    }

    pub(super) async fn read_source(
        &self,
        repository: &RepositoryName,
        at: &RefName,
        path: &str,
    ) -> Result<Bytes, ProviderError> {
        let parts = path_segments(path)?;
        let commit = self.resolve(repository, at.as_str()).await?;
        let mut segments = vec!["src", commit.as_str()];
        segments.extend(parts);
        let call = Self::get(repository, &segments).accept("*/*");
        let answer = self.api.send(call.limit(LARGEST_FILE)).await?;
        answer.into_file(path)
    }

    /// Commits are listed newest first, and files apart.
    pub(super) async fn read_difference(
        &self,
        repository: &RepositoryName,
        base: &RefName,
        head: &RefName,
    ) -> Result<Comparison, ProviderError> {
        let base = self.resolve(repository, base.as_str()).await?;
        let head = self.resolve(repository, head.as_str()).await?;
        let call = Self::get(repository, &["commits"])
            .query("include", &head)
            .query("exclude", &base)
            .query("pagelen", "100");
        let commits = self.page(call, |found: shape::Commit| found.hash).await?;
        let range = format!("{head}..{base}");
        let call = Self::get(repository, &["diffstat", &range]).query("pagelen", "500");
        let files = self.page(call, shape::Difference::paths).await?;
        let mut paths: Vec<_> = files.items.into_iter().flatten().collect();
        paths.sort();
        paths.dedup();
        Ok(Comparison {
            commits: commits.items.into_iter().rev().collect(),
            files: paths,
            is_complete: commits.next.is_none() && files.next.is_none(),
        })
    }

    /// Bitbucket itself would change an open one of the same branches.
    pub(super) async fn open(
        &self,
        repository: &RepositoryName,
        new: &NewPullRequest,
    ) -> Result<PullRequest, ProviderError> {
        let found = self.find(repository, &new.head, &new.base).await?;
        if found.is_some_and(|found| found.state == PullRequestState::Open) {
            return Err(ProviderError::Refused {
                provider: NAME,
                status: 409,
                reason: "a pull request of these branches is open".to_owned(),
            });
        }
        let body = json!({
            "title": new.title,
            "description": new.body,
            "source": { "branch": { "name": new.head } },
            "destination": { "branch": { "name": new.base } },
        });
        let call = Self::call(Method::POST, repository, &["pullrequests"]).body(body);
        let made: shape::Pull = self.api.json(call).await?;
        self.whole(repository, made).await
    }

    pub(super) async fn list_pulls(
        &self,
        repository: &RepositoryName,
        filter: PullRequestFilter,
    ) -> Result<Page<PullRequest>, ProviderError> {
        let states: &[&str] = match filter {
            PullRequestFilter::Open => &STATES[..1],
            PullRequestFilter::All => &STATES,
        };
        let mut call = Self::get(repository, &["pullrequests"])
            .query("sort", "-created_on")
            .query("pagelen", "50");
        for state in states {
            call = call.query("state", *state);
        }
        let convert = |found: shape::Pull| PullRequest::from(found);
        self.page(call, convert).await
    }

    pub(super) async fn find(
        &self,
        repository: &RepositoryName,
        head: &str,
        base: &str,
    ) -> Result<Option<PullRequest>, ProviderError> {
        let (head, base) = (quoted(head), quoted(base));
        let filter = format!("source.branch.name = {head} AND destination.branch.name = {base}");
        let mut call = Self::get(repository, &["pullrequests"])
            .query("q", filter)
            .query("sort", "-created_on");
        for state in STATES {
            call = call.query("state", state);
        }
        let found = self.page(call, |found: shape::Pull| found).await?.items;
        let mut found = found.into_iter();
        let first = found.next();
        let open = first.iter().all(|pull| !pull.is_open());
        let open = open.then(|| found.find(shape::Pull::is_open)).flatten();
        match open.or(first) {
            Some(pull) => self.whole(repository, pull).await.map(Some),
            None => Ok(None),
        }
    }

    pub(super) async fn read_pull(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<PullRequest, ProviderError> {
        let call = Self::get(repository, &["pullrequests", &number.to_string()]);
        let found: shape::Pull = self.api.json(call).await?;
        self.whole(repository, found).await
    }

    /// Replaces short ids of commits by whole ones.
    async fn whole(
        &self,
        repository: &RepositoryName,
        found: shape::Pull,
    ) -> Result<PullRequest, ProviderError> {
        let mut pull = PullRequest::from(found);
        pull.head = self.resolve(repository, &pull.head).await?;
        if let PullRequestState::Merged(Some(commit)) = &mut pull.state {
            *commit = self.resolve(repository, commit).await?;
        }
        Ok(pull)
    }

    /// The head is compared just before, since Bitbucket cannot.
    pub(super) async fn merge(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
    ) -> Result<MergeOutcome, ProviderError> {
        let before = self.read_pull(repository, order.number).await?;
        if let Some(outcome) = decided(before, order) {
            return Ok(outcome);
        }
        let number = order.number.to_string();
        let path = ["pullrequests", &number, "merge"];
        let call = Self::call(Method::POST, repository, &path)
            .query("async", "true")
            .body(merge_body(order));
        let answer = self.api.send(call).await?;
        match answer.status.as_u16() {
            200 | 202 | STILL_MERGING => self.follow(repository, order).await,
            status @ (400 | 409) => {
                let after = self.read_pull(repository, order.number).await?;
                let reason = answer.reason();
                Ok(decided(after, order).unwrap_or(match status {
                    400 => MergeOutcome::Refused(reason),
                    _ => MergeOutcome::Contended(reason),
                }))
            }
            _ => Err(refused(answer, order.number)),
        }
    }

    async fn follow(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
    ) -> Result<MergeOutcome, ProviderError> {
        for _ in 0..LOOKS {
            let found = self.read_pull(repository, order.number).await?;
            let is_open = found.state == PullRequestState::Open;
            if let Some(outcome) = decided(found, order).filter(|_| !is_open) {
                return Ok(outcome);
            }
            sleep(PAUSE).await;
        }
        let reason = "Bitbucket is still merging it: look again later";
        Ok(MergeOutcome::Refused(reason.to_owned()))
    }
}

/// A text of a filter.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn merge_body(order: &MergeOrder) -> serde_json::Value {
    let strategy = match order.method {
        MergeMethod::Merge => "merge_commit",
        MergeMethod::Squash => "squash",
        MergeMethod::Rebase => "rebase_fast_forward",
    };
    json!({
        "type": "pullrequest_merge_parameters",
        "merge_strategy": strategy,
        "message": format!("{}\n\n{}", order.title, order.message),
        "close_source_branch": false,
    })
}
