//! Bitbucket Data Center, REST API 1.0.

mod calls;
mod shape;

use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use serde_json::json;

use crate::{
    Approval, AutoMerge, Branch, BudgetState, Capabilities, Comment, CommitStatus, Comparison,
    Connection, Cursor, FileEntry, HeadPin, MergeOrder, MergeOutcome, NewPullRequest, NewWebhook,
    Organisation, Page, Provider, ProviderError, PullRequest, PullRequestFilter, RefName, Reply,
    Repository, RepositoryName, Secret, Support, User, Webhook,
    api::Api,
    http::{Authorization, Call, Dialect},
};

const NAME: &str = "Bitbucket Data Center";
const DIALECT: Dialect = Dialect {
    provider: NAME,
    pause: Duration::ZERO,
    accept: "application/json",
};
const LIMIT: &str = "100";

/// Bitbucket Data Center with an HTTP access token. Names of repositories are `PROJECT/repository`.
#[derive(Debug)]
pub struct BitbucketDataCenter {
    api: Api,
}

impl BitbucketDataCenter {
    /// The URL is the one of the web pages, with its context path.
    ///
    /// # Errors
    /// The URL or its certificates are unusable.
    pub fn new(connection: Connection, token: &Secret) -> Result<Self, ProviderError> {
        let authorization = Authorization::new("authorization", "Bearer ", token);
        let api = Api::new(connection, &["rest"], DIALECT, authorization)?;
        Ok(Self { api })
    }

    fn call(method: Method, repository: &RepositoryName, rest: &[&str]) -> Call {
        let (project, name) = (repository.owner(), repository.name());
        let mut segments = vec!["api", "1.0", "projects", project, "repos", name];
        segments.extend(rest);
        Call::new(method, &segments)
    }

    fn get(repository: &RepositoryName, rest: &[&str]) -> Call {
        Self::call(Method::GET, repository, rest)
    }
}

impl Provider for BitbucketDataCenter {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            provider: NAME,
            pull_requests: Support::Present,
            head_pin: HeadPin::Before,
            auto_merge: AutoMerge::Caller,
            statuses: Support::Present,
            webhooks: Support::Present,
            deliveries: Support::Absent,
            rate_limit: Support::Present,
        }
    }

    fn budget(&self) -> Option<BudgetState> {
        self.api.http.budget().state()
    }

    fn user(&self) -> Reply<'_, User> {
        Box::pin(async {
            Ok(User {
                login: self.account().await?,
                scopes: None,
            })
        })
    }

    fn organisations(&self, cursor: Option<Cursor>) -> Reply<'_, Page<Organisation>> {
        Box::pin(async {
            let call = Call::get(&["api", "1.0", "projects"]);
            let name = |found: shape::Project| Organisation { name: found.key };
            self.page(call, cursor, name).await
        })
    }

    fn repositories<'a>(
        &'a self,
        search: &'a str,
        cursor: Option<Cursor>,
    ) -> Reply<'a, Page<Repository>> {
        Box::pin(self.search(search, cursor))
    }

    fn repository<'a>(&'a self, repository: &'a RepositoryName) -> Reply<'a, Repository> {
        Box::pin(self.read_repository(repository))
    }

    fn branches<'a>(
        &'a self,
        repository: &'a RepositoryName,
        cursor: Option<Cursor>,
    ) -> Reply<'a, Page<Branch>> {
        Box::pin(async {
            let convert = |found: shape::BranchEntry| Branch::from(found);
            let call = Self::get(repository, &["branches"]);
            self.page(call, cursor, convert).await
        })
    }

    fn branch<'a>(
        &'a self,
        repository: &'a RepositoryName,
        branch: &'a RefName,
    ) -> Reply<'a, Branch> {
        Box::pin(self.find_branch(repository, branch))
    }

    fn files<'a>(
        &'a self,
        repository: &'a RepositoryName,
        at: &'a RefName,
        folder: &'a str,
    ) -> Reply<'a, Vec<FileEntry>> {
        Box::pin(self.list_files(repository, at, folder))
    }

    fn read_file<'a>(
        &'a self,
        repository: &'a RepositoryName,
        at: &'a RefName,
        path: &'a str,
    ) -> Reply<'a, Bytes> {
        Box::pin(self.read_raw(repository, at, path))
    }

    fn compare<'a>(
        &'a self,
        repository: &'a RepositoryName,
        base: &'a RefName,
        head: &'a RefName,
    ) -> Reply<'a, Comparison> {
        Box::pin(self.read_difference(repository, base, head))
    }

    fn open_pull_request<'a>(
        &'a self,
        repository: &'a RepositoryName,
        new: &'a NewPullRequest,
    ) -> Reply<'a, PullRequest> {
        Box::pin(async {
            let call = Self::call(Method::POST, repository, &["pull-requests"]);
            let made: shape::Pull = self.api.json(call.body(shape::pull_body(new))).await?;
            Ok(made.into())
        })
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
        Box::pin(self.list_pulls(repository, filter))
    }

    fn pull_request<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, PullRequest> {
        Box::pin(async move { Ok(self.read_pull(repository, number).await?.into()) })
    }

    fn try_merge<'a>(
        &'a self,
        repository: &'a RepositoryName,
        order: &'a MergeOrder,
    ) -> Reply<'a, MergeOutcome> {
        Box::pin(self.merge(repository, order))
    }

    fn close_pull_request<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, ()> {
        Box::pin(self.decline(repository, number))
    }

    fn approvals<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, Vec<Approval>> {
        Box::pin(async move { Ok(self.read_pull(repository, number).await?.into_approvals()) })
    }

    fn approve<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
        head: &'a str,
    ) -> Reply<'a, ()> {
        Box::pin(self.add_approval(repository, number, head))
    }

    fn statuses<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        commit: &'a RefName,
    ) -> Reply<'a, Vec<CommitStatus>> {
        Box::pin(async {
            let call = Call::get(&["build-status", "1.0", "commits", commit.as_str()]);
            let convert = |found: shape::Build| CommitStatus::from(found);
            Ok(self.page(call, None, convert).await?.items)
        })
    }

    fn set_status<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        commit: &'a RefName,
        status: &'a CommitStatus,
    ) -> Reply<'a, ()> {
        Box::pin(async {
            let path = ["build-status", "1.0", "commits", commit.as_str()];
            self.api
                .done(Call::post(&path, shape::status_body(status)))
                .await
        })
    }

    fn comments<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, Vec<Comment>> {
        Box::pin(self.read_comments(repository, number))
    }

    fn comment<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
        body: &'a str,
    ) -> Reply<'a, Comment> {
        Box::pin(async move {
            let path = ["pull-requests", &number.to_string(), "comments"];
            let call = Self::call(Method::POST, repository, &path);
            let made: shape::CommentEntry =
                self.api.json(call.body(json!({ "text": body }))).await?;
            Ok(made.into())
        })
    }

    fn webhooks<'a>(&'a self, repository: &'a RepositoryName) -> Reply<'a, Vec<Webhook>> {
        Box::pin(async {
            let convert = |found: shape::Hook| Webhook::from(found);
            let call = Self::get(repository, &["webhooks"]);
            Ok(self.page(call, None, convert).await?.items)
        })
    }

    fn create_webhook<'a>(
        &'a self,
        repository: &'a RepositoryName,
        new: &'a NewWebhook,
    ) -> Reply<'a, Webhook> {
        Box::pin(async {
            let call = Self::call(Method::POST, repository, &["webhooks"]);
            let made: shape::Hook = self.api.json(call.body(shape::hook_body(new))).await?;
            Ok(made.into())
        })
    }

    fn delete_webhook<'a>(&'a self, repository: &'a RepositoryName, id: &'a str) -> Reply<'a, ()> {
        Box::pin(
            self.api
                .done(Self::call(Method::DELETE, repository, &["webhooks", id])),
        )
    }
}
