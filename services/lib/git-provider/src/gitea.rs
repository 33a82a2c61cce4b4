//! Gitea and Forgejo, API v1.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    Approval, AutoMerge, Branch, BudgetState, Capabilities, Comment, CommitStatus, Comparison,
    Connection, Cursor, FileEntry, HeadPin, MergeMethod, MergeOrder, MergeOutcome, NewPullRequest,
    NewWebhook, Organisation, Page, Provider, ProviderError, PullRequest, PullRequestFilter,
    RefName, Reply, Repository, RepositoryName, Secret, Support, User, Webhook,
    api::Api,
    github_style::{self, Style, shape},
    http::{Answer, Authorization, Call, Dialect},
    merge::decided,
};

const NAME: &str = "Gitea";
const STYLE: Style = Style::Gitea;
const APPROVE: &str = "APPROVED";
/// Where the content of files is, and what is accepted there.
const RAW: (&str, &str) = ("raw", "*/*");
const DIALECT: Dialect = Dialect {
    provider: NAME,
    pause: Duration::ZERO,
    accept: "application/json",
};

/// Gitea or Forgejo with a token.
#[derive(Debug)]
pub struct Gitea {
    api: Api,
}

impl Gitea {
    /// The URL is the one of the web pages, such as `https://git.example.com`.
    ///
    /// # Errors
    /// The URL or its certificates are unusable.
    pub fn new(connection: Connection, token: &Secret) -> Result<Self, ProviderError> {
        let authorization = Authorization::new("authorization", "token ", token);
        let api = Api::new(connection, &["api", "v1"], DIALECT, authorization)?;
        Ok(Self { api })
    }

    async fn account(&self) -> Result<User, ProviderError> {
        let found = self.api.json::<shape::Account>(Call::get(&["user"])).await;
        let found = found.map_err(|error| self.api.other_provider(error))?;
        Ok(User {
            login: found.login,
            scopes: None,
        })
    }

    async fn search(
        &self,
        search: &str,
        cursor: Option<Cursor>,
    ) -> Result<Page<Repository>, ProviderError> {
        let call = Call::get(&["repos", "search"])
            .query("q", search)
            .query("sort", "alpha");
        github_style::search(&self.api, STYLE, call, cursor).await
    }

    async fn find(
        &self,
        repository: &RepositoryName,
        head: &RefName,
        base: &RefName,
    ) -> Result<Option<PullRequest>, ProviderError> {
        let call = github_style::get(repository, &["pulls", base.as_str(), head.as_str()]);
        match self.api.json::<shape::Pull>(call).await {
            Ok(found) => Ok(Some(found.into())),
            Err(ProviderError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn merge(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
    ) -> Result<MergeOutcome, ProviderError> {
        self.send_merge(repository, order, merge_body(order)).await
    }

    /// Gitea does not compare the head when it schedules, so that this is done just before.
    async fn schedule(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
    ) -> Result<MergeOutcome, ProviderError> {
        let mut body = merge_body(order);
        body["merge_when_checks_succeed"] = json!(true);
        self.send_merge(repository, order, body).await
    }

    async fn send_merge(
        &self,
        repository: &RepositoryName,
        order: &MergeOrder,
        body: Value,
    ) -> Result<MergeOutcome, ProviderError> {
        let read = || github_style::read_pull(&self.api, repository, order.number);
        let before = read().await?;
        let was_mergeable = before.mergeable == Some(true);
        if let Some(outcome) = decided(before.into(), order) {
            return Ok(outcome);
        }
        let number = order.number.to_string();
        let call = github_style::call(Method::POST, repository, &["pulls", &number, "merge"]);
        let answer = self.api.send(call.body(body)).await?;
        if answer.status.as_u16() == 201 || is_scheduled(&answer) {
            return Ok(MergeOutcome::Scheduled);
        }
        let after = read().await?;
        let is_mergeable = after.mergeable == Some(true);
        if let Some(outcome) = decided(after.into(), order) {
            return Ok(outcome);
        }
        match answer.status.as_u16() {
            200 => Ok(MergeOutcome::NotYet("merged, but not shown yet".to_owned())),
            // While it computes it says that it is not mergeable, as for a conflict.
            405 if was_mergeable && is_mergeable => Ok(MergeOutcome::Refused(answer.reason())),
            405 => Ok(MergeOutcome::NotYet(answer.reason())),
            409 => Ok(MergeOutcome::Contended(answer.reason())),
            _ => Err(refused(answer, order.number)),
        }
    }
}

/// The error of an answer that is no success.
pub(crate) fn refused(answer: Answer, number: u64) -> ProviderError {
    let provider = answer.provider;
    let what = format!("pull request {number}");
    answer
        .check(&what)
        .err()
        .unwrap_or(ProviderError::Malformed {
            provider,
            reason: "an unknown answer to a merge".to_owned(),
        })
}

fn is_scheduled(answer: &Answer) -> bool {
    answer.status.as_u16() == 409 && answer.reason().contains("already scheduled")
}

fn merge_body(order: &MergeOrder) -> Value {
    let method = match order.method {
        MergeMethod::Merge => "merge",
        MergeMethod::Squash => "squash",
        MergeMethod::Rebase => "rebase",
    };
    json!({
        "Do": method,
        "head_commit_id": order.head,
        "MergeTitleField": order.title,
        "MergeMessageField": order.message,
    })
}

impl Provider for Gitea {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            provider: NAME,
            pull_requests: Support::Present,
            head_pin: HeadPin::Atomic,
            auto_merge: AutoMerge::Provider,
            statuses: Support::Present,
            webhooks: Support::Present,
            // Its record of deliveries is in its web pages only.
            deliveries: Support::Absent,
            rate_limit: Support::Absent,
        }
    }

    fn budget(&self) -> Option<BudgetState> {
        self.api.http.budget().state()
    }

    fn user(&self) -> Reply<'_, User> {
        Box::pin(self.account())
    }

    fn organisations(&self, cursor: Option<Cursor>) -> Reply<'_, Page<Organisation>> {
        Box::pin(github_style::organisations(&self.api, STYLE, cursor))
    }

    fn repositories<'a>(
        &'a self,
        search: &'a str,
        cursor: Option<Cursor>,
    ) -> Reply<'a, Page<Repository>> {
        Box::pin(self.search(search, cursor))
    }

    fn repository<'a>(&'a self, repository: &'a RepositoryName) -> Reply<'a, Repository> {
        Box::pin(github_style::repository(&self.api, repository))
    }

    fn branches<'a>(
        &'a self,
        repository: &'a RepositoryName,
        cursor: Option<Cursor>,
    ) -> Reply<'a, Page<Branch>> {
        Box::pin(github_style::branches(&self.api, STYLE, repository, cursor))
    }

    fn branch<'a>(
        &'a self,
        repository: &'a RepositoryName,
        branch: &'a RefName,
    ) -> Reply<'a, Branch> {
        Box::pin(github_style::branch(&self.api, repository, branch))
    }

    fn files<'a>(
        &'a self,
        repository: &'a RepositoryName,
        at: &'a RefName,
        folder: &'a str,
    ) -> Reply<'a, Vec<FileEntry>> {
        Box::pin(github_style::files(&self.api, repository, at, folder))
    }

    fn read_file<'a>(
        &'a self,
        repository: &'a RepositoryName,
        at: &'a RefName,
        path: &'a str,
    ) -> Reply<'a, Bytes> {
        Box::pin(github_style::read_file(
            &self.api, repository, RAW, at, path,
        ))
    }

    fn compare<'a>(
        &'a self,
        repository: &'a RepositoryName,
        base: &'a RefName,
        head: &'a RefName,
    ) -> Reply<'a, Comparison> {
        Box::pin(github_style::compare(&self.api, repository, base, head))
    }

    fn open_pull_request<'a>(
        &'a self,
        repository: &'a RepositoryName,
        new: &'a NewPullRequest,
    ) -> Reply<'a, PullRequest> {
        Box::pin(github_style::open(&self.api, repository, new))
    }

    fn find_pull_request<'a>(
        &'a self,
        repository: &'a RepositoryName,
        head: &'a RefName,
        base: &'a RefName,
    ) -> Reply<'a, Option<PullRequest>> {
        Box::pin(self.find(repository, head, base))
    }

    fn pull_requests<'a>(
        &'a self,
        repository: &'a RepositoryName,
        filter: PullRequestFilter,
    ) -> Reply<'a, Page<PullRequest>> {
        Box::pin(github_style::pulls(&self.api, STYLE, repository, filter))
    }

    fn pull_request<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, PullRequest> {
        Box::pin(async move {
            let found = github_style::read_pull(&self.api, repository, number).await?;
            Ok(found.into())
        })
    }

    fn try_merge<'a>(
        &'a self,
        repository: &'a RepositoryName,
        order: &'a MergeOrder,
    ) -> Reply<'a, MergeOutcome> {
        Box::pin(self.merge(repository, order))
    }

    fn schedule_merge<'a>(
        &'a self,
        repository: &'a RepositoryName,
        order: &'a MergeOrder,
    ) -> Reply<'a, MergeOutcome> {
        Box::pin(self.schedule(repository, order))
    }

    fn close_pull_request<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, ()> {
        Box::pin(github_style::close(&self.api, repository, number))
    }

    fn approvals<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, Vec<Approval>> {
        Box::pin(github_style::approvals(
            &self.api, STYLE, repository, number,
        ))
    }

    fn approve<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
        head: &'a str,
    ) -> Reply<'a, ()> {
        let review = (APPROVE, head);
        Box::pin(github_style::approve(&self.api, repository, number, review))
    }

    fn statuses<'a>(
        &'a self,
        repository: &'a RepositoryName,
        commit: &'a RefName,
    ) -> Reply<'a, Vec<CommitStatus>> {
        Box::pin(github_style::statuses(&self.api, repository, commit))
    }

    fn set_status<'a>(
        &'a self,
        repository: &'a RepositoryName,
        commit: &'a RefName,
        status: &'a CommitStatus,
    ) -> Reply<'a, ()> {
        Box::pin(github_style::set_status(
            &self.api, repository, commit, status,
        ))
    }

    fn comments<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, Vec<Comment>> {
        Box::pin(github_style::comments(&self.api, STYLE, repository, number))
    }

    fn comment<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
        body: &'a str,
    ) -> Reply<'a, Comment> {
        Box::pin(github_style::comment(&self.api, repository, number, body))
    }

    fn webhooks<'a>(&'a self, repository: &'a RepositoryName) -> Reply<'a, Vec<Webhook>> {
        Box::pin(github_style::webhooks(&self.api, STYLE, repository))
    }

    fn create_webhook<'a>(
        &'a self,
        repository: &'a RepositoryName,
        new: &'a NewWebhook,
    ) -> Reply<'a, Webhook> {
        Box::pin(github_style::create_webhook(
            &self.api, STYLE, repository, new,
        ))
    }

    fn delete_webhook<'a>(&'a self, repository: &'a RepositoryName, id: &'a str) -> Reply<'a, ()> {
        Box::pin(github_style::delete_webhook(&self.api, repository, id))
    }
}
