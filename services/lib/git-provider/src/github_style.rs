//! Calls that GitHub, Gitea and Forgejo have alike.

pub(crate) mod shape;

use bytes::Bytes;
use reqwest::Method;
use serde_json::json;

use crate::{
    Approval, Branch, Comment, CommitStatus, Comparison, Cursor, FileEntry, NewPullRequest,
    NewWebhook, Organisation, Page, ProviderError, PullRequest, PullRequestFilter, RefName,
    Repository, RepositoryName, Webhook, api::Api, http::Call, name::path_segments,
};

/// The largest file that is read.
pub(crate) const LARGEST_FILE: usize = 2 << 20;
/// Pages of a list that is read whole.
const MAX_PAGES: usize = 20;

/// The provider whose calls differ a little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    GitHub,
    Gitea,
}

impl Style {
    fn page(self) -> (&'static str, &'static str) {
        match self {
            Self::GitHub => ("per_page", "100"),
            Self::Gitea => ("limit", "50"),
        }
    }

    fn paged(self, call: Call, cursor: Option<Cursor>) -> Call {
        let (name, size) = self.page();
        call.query(name, size).at(cursor)
    }
}

/// A call below a repository.
pub(crate) fn call(method: Method, repository: &RepositoryName, rest: &[&str]) -> Call {
    let mut segments = vec!["repos", repository.owner(), repository.name()];
    segments.extend(rest);
    Call::new(method, &segments)
}

pub(crate) fn get(repository: &RepositoryName, rest: &[&str]) -> Call {
    call(Method::GET, repository, rest)
}

pub(crate) async fn organisations(
    api: &Api,
    style: Style,
    cursor: Option<Cursor>,
) -> Result<Page<Organisation>, ProviderError> {
    let call = style.paged(Call::get(&["user", "orgs"]), cursor);
    let name = |found: shape::Account| Organisation { name: found.login };
    api.page(call, name).await
}

/// A search, whose items are in a field of the answer.
pub(crate) async fn search(
    api: &Api,
    style: Style,
    call: Call,
    cursor: Option<Cursor>,
) -> Result<Page<Repository>, ProviderError> {
    let answer = api.send(style.paged(call, cursor)).await?;
    let answer = answer.check("repositories")?;
    let found: shape::Found = answer.json()?;
    let items = found.items.into_iter().map(Repository::try_from);
    let items: Result<Vec<_>, _> = items.collect();
    api.continued(&answer, items?)
}

pub(crate) async fn repository(
    api: &Api,
    repository: &RepositoryName,
) -> Result<Repository, ProviderError> {
    let found: shape::Repository = api.json(get(repository, &[])).await?;
    found.try_into()
}

pub(crate) async fn branches(
    api: &Api,
    style: Style,
    repository: &RepositoryName,
    cursor: Option<Cursor>,
) -> Result<Page<Branch>, ProviderError> {
    let call = style.paged(get(repository, &["branches"]), cursor);
    api.page(call, |found: shape::BranchEntry| found.into())
        .await
}

pub(crate) async fn branch(
    api: &Api,
    repository: &RepositoryName,
    branch: &RefName,
) -> Result<Branch, ProviderError> {
    let call = get(repository, &["branches", branch.as_str()]);
    api.json::<shape::BranchEntry>(call).await.map(Branch::from)
}

pub(crate) async fn files(
    api: &Api,
    repository: &RepositoryName,
    at: &RefName,
    folder: &str,
) -> Result<Vec<FileEntry>, ProviderError> {
    let mut segments = vec!["contents"];
    segments.extend(path_segments(folder)?);
    let call = get(repository, &segments).query("ref", at.as_str());
    let found: Vec<shape::Entry> = api.json(call).await?;
    Ok(found.into_iter().map(FileEntry::from).collect())
}

/// The bytes of a file, below the folder of the API that serves them.
pub(crate) async fn read_file(
    api: &Api,
    repository: &RepositoryName,
    (folder, accept): (&str, &'static str),
    at: &RefName,
    path: &str,
) -> Result<Bytes, ProviderError> {
    let mut segments = vec![folder];
    segments.extend(path_segments(path)?);
    let call = get(repository, &segments)
        .query("ref", at.as_str())
        .accept(accept)
        .limit(LARGEST_FILE);
    api.send(call).await?.into_file(path)
}

pub(crate) async fn compare(
    api: &Api,
    repository: &RepositoryName,
    base: &RefName,
    head: &RefName,
) -> Result<Comparison, ProviderError> {
    let range = format!("{base}...{head}");
    let call = get(repository, &["compare", &range]);
    api.json::<shape::Compared>(call)
        .await
        .map(Comparison::from)
}

pub(crate) async fn open(
    api: &Api,
    repository: &RepositoryName,
    new: &NewPullRequest,
) -> Result<PullRequest, ProviderError> {
    let body = json!({ "head": new.head, "base": new.base, "title": new.title, "body": new.body });
    let call = call(Method::POST, repository, &["pulls"]).body(body);
    api.json::<shape::Pull>(call).await.map(PullRequest::from)
}

pub(crate) async fn pulls(
    api: &Api,
    style: Style,
    repository: &RepositoryName,
    filter: PullRequestFilter,
) -> Result<Page<PullRequest>, ProviderError> {
    let state = match filter {
        PullRequestFilter::Open => "open",
        PullRequestFilter::All => "all",
    };
    let call = get(repository, &["pulls"]).query("state", state);
    let convert = |found: shape::Pull| PullRequest::from(found);
    api.page(style.paged(call, None), convert).await
}

pub(crate) async fn read_pull(
    api: &Api,
    repository: &RepositoryName,
    number: u64,
) -> Result<shape::Pull, ProviderError> {
    let call = get(repository, &["pulls", &number.to_string()]);
    api.json(call).await
}

pub(crate) async fn close(
    api: &Api,
    repository: &RepositoryName,
    number: u64,
) -> Result<(), ProviderError> {
    let call = call(Method::PATCH, repository, &["pulls", &number.to_string()]);
    api.done(call.body(json!({ "state": "closed" }))).await
}

/// The last decision of each reviewer; a comment does not replace one.
pub(crate) async fn approvals(
    api: &Api,
    style: Style,
    repository: &RepositoryName,
    number: u64,
) -> Result<Vec<Approval>, ProviderError> {
    let head = read_pull(api, repository, number).await?.head.sha;
    let number = number.to_string();
    let reviews = get(repository, &["pulls", &number, "reviews"]);
    let mut approvals: Vec<Approval> = Vec::new();
    for review in every::<shape::Review>(api, style, reviews).await? {
        let user = review.login();
        approvals.retain(|found| found.user != user || !review.replaces());
        approvals.extend(review.into_approval(&head));
    }
    Ok(approvals)
}

pub(crate) async fn approve(
    api: &Api,
    repository: &RepositoryName,
    number: u64,
    (event, head): (&str, &str),
) -> Result<(), ProviderError> {
    let number = number.to_string();
    let call = call(Method::POST, repository, &["pulls", &number, "reviews"]);
    let body = json!({ "event": event, "body": "", "commit_id": head });
    api.done(call.body(body)).await
}

pub(crate) async fn statuses(
    api: &Api,
    repository: &RepositoryName,
    commit: &RefName,
) -> Result<Vec<CommitStatus>, ProviderError> {
    let call = get(repository, &["commits", commit.as_str(), "status"]);
    let found: shape::CombinedStatus = api.json(call).await?;
    let statuses = found.statuses.unwrap_or_default().into_iter();
    Ok(statuses.map(CommitStatus::from).collect())
}

pub(crate) async fn set_status(
    api: &Api,
    repository: &RepositoryName,
    commit: &RefName,
    status: &CommitStatus,
) -> Result<(), ProviderError> {
    let call = call(Method::POST, repository, &["statuses", commit.as_str()]);
    api.done(call.body(shape::status_body(status))).await
}

pub(crate) async fn comments(
    api: &Api,
    style: Style,
    repository: &RepositoryName,
    number: u64,
) -> Result<Vec<Comment>, ProviderError> {
    let number = number.to_string();
    let call = get(repository, &["issues", &number, "comments"]);
    let found = every::<shape::CommentEntry>(api, style, call).await?;
    Ok(found.into_iter().map(Comment::from).collect())
}

pub(crate) async fn comment(
    api: &Api,
    repository: &RepositoryName,
    number: u64,
    body: &str,
) -> Result<Comment, ProviderError> {
    let number = number.to_string();
    let call = call(Method::POST, repository, &["issues", &number, "comments"]);
    let made: shape::CommentEntry = api.json(call.body(json!({ "body": body }))).await?;
    Ok(made.into())
}

pub(crate) async fn webhooks(
    api: &Api,
    style: Style,
    repository: &RepositoryName,
) -> Result<Vec<Webhook>, ProviderError> {
    let found = every::<shape::Hook>(api, style, get(repository, &["hooks"])).await?;
    Ok(found.into_iter().map(Webhook::from).collect())
}

pub(crate) async fn create_webhook(
    api: &Api,
    style: Style,
    repository: &RepositoryName,
    new: &NewWebhook,
) -> Result<Webhook, ProviderError> {
    let call = call(Method::POST, repository, &["hooks"]);
    let made: shape::Hook = api.json(call.body(shape::hook_body(style, new))).await?;
    Ok(made.into())
}

pub(crate) async fn delete_webhook(
    api: &Api,
    repository: &RepositoryName,
    id: &str,
) -> Result<(), ProviderError> {
    api.done(call(Method::DELETE, repository, &["hooks", id]))
        .await
}

/// A list with all its pages.
async fn every<T: serde::de::DeserializeOwned>(
    api: &Api,
    style: Style,
    call: Call,
) -> Result<Vec<T>, ProviderError> {
    let mut items = Vec::new();
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let page = api.page(style.paged(call.clone(), cursor), |item: T| item);
        let page = page.await?;
        items.extend(page.items);
        cursor = page.next;
        if cursor.is_none() {
            return Ok(items);
        }
    }
    Err(ProviderError::TooLarge {
        what: call.what(),
        limit: MAX_PAGES,
    })
}
