//! Bitbucket Cloud, REST API 2.0, one workspace.

mod calls;
mod shape;

use std::time::Duration;

use base64::{Engine as _, prelude::BASE64_STANDARD};
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

const NAME: &str = "Bitbucket Cloud";
const DIALECT: Dialect = Dialect {
    provider: NAME,
    pause: Duration::ZERO,
    accept: "application/json",
};

/// How Bitbucket knows the caller.
#[derive(Debug, Clone)]
pub enum BitbucketCredential {
    /// Of a repository, project or workspace.
    AccessToken(Secret),
    /// Of a user, with the e-mail address of the account.
    ApiToken { email: String, token: Secret },
}

/// One workspace of Bitbucket Cloud.
#[derive(Debug)]
pub struct BitbucketCloud {
    api: Api,
    workspace: String,
}

impl BitbucketCloud {
    /// The URL is `https://bitbucket.org`.
    ///
    /// # Errors
    /// The URL or its certificates are unusable.
    pub fn new(
        mut connection: Connection,
        workspace: &str,
        credential: &BitbucketCredential,
    ) -> Result<Self, ProviderError> {
        let url = &mut connection.url.0;
        if url.host_str() == Some("bitbucket.org") {
            url.set_host(Some("api.bitbucket.org"))
                .map_err(|_| ProviderError::InvalidUrl("has an invalid host"))?;
        }
        let api = Api::new(connection, &["2.0"], DIALECT, authorization(credential))?;
        Ok(Self {
            api,
            workspace: workspace.to_owned(),
        })
    }

    fn call(method: Method, repository: &RepositoryName, rest: &[&str]) -> Call {
        let mut segments = vec!["repositories", repository.owner(), repository.name()];
        segments.extend(rest);
        Call::new(method, &segments)
    }

    fn get(repository: &RepositoryName, rest: &[&str]) -> Call {
        Self::call(Method::GET, repository, rest)
    }
}

fn authorization(credential: &BitbucketCredential) -> Authorization {
    match credential {
        BitbucketCredential::AccessToken(token) => {
            Authorization::new("authorization", "Bearer ", token)
        }
        BitbucketCredential::ApiToken { email, token } => {
            let pair = BASE64_STANDARD.encode(format!("{email}:{}", token.expose()));
            Authorization::new("authorization", "Basic ", &Secret::new(&pair)).hiding(token)
        }
    }
}

impl Provider for BitbucketCloud {
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
            let found = self.api.json::<shape::Account>(Call::get(&["user"])).await;
            let found = found.map_err(|error| self.api.other_provider(error))?;
            Ok(User {
                login: found.nickname,
                scopes: None,
            })
        })
    }

    fn organisations(&self, _cursor: Option<Cursor>) -> Reply<'_, Page<Organisation>> {
        Box::pin(async {
            let path = ["workspaces", self.workspace.as_str()];
            let found: shape::Workspace = self.api.json(Call::get(&path)).await?;
            Ok(Page {
                items: vec![Organisation { name: found.slug }],
                next: None,
            })
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
        Box::pin(async {
            let found: shape::Repository = self.api.json(Self::get(repository, &[])).await?;
            found.try_into()
        })
    }

    fn branches<'a>(
        &'a self,
        repository: &'a RepositoryName,
        cursor: Option<Cursor>,
    ) -> Reply<'a, Page<Branch>> {
        Box::pin(async {
            let call = Self::get(repository, &["refs", "branches"]).query("pagelen", "100");
            let convert = |found: shape::BranchEntry| Branch::from(found);
            self.page(call.at(cursor), convert).await
        })
    }

    fn branch<'a>(
        &'a self,
        repository: &'a RepositoryName,
        branch: &'a RefName,
    ) -> Reply<'a, Branch> {
        Box::pin(async {
            let call = Self::get(repository, &["refs", "branches", branch.as_str()]);
            let found: shape::BranchEntry = self.api.json(call).await?;
            Ok(found.into())
        })
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
        Box::pin(self.read_source(repository, at, path))
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
        Box::pin(self.open(repository, new))
    }

    fn find_pull_request<'a>(
        &'a self,
        repository: &'a RepositoryName,
        head: &'a RefName,
        base: &'a RefName,
    ) -> Reply<'a, Option<PullRequest>> {
        Box::pin(self.find(repository, head.as_str(), base.as_str()))
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
        Box::pin(self.read_pull(repository, number))
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
        Box::pin(async move {
            let number = number.to_string();
            let path = ["pullrequests", &number, "decline"];
            self.api
                .done(Self::call(Method::POST, repository, &path))
                .await
        })
    }

    fn approvals<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, Vec<Approval>> {
        Box::pin(async move {
            let number = number.to_string();
            let call = Self::get(repository, &["pullrequests", &number]);
            let found: shape::Pull = self.api.json(call).await?;
            Ok(found.into_approvals())
        })
    }

    fn approve<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
        _head: &'a str,
    ) -> Reply<'a, ()> {
        Box::pin(async move {
            let number = number.to_string();
            let path = ["pullrequests", &number, "approve"];
            self.api
                .done(Self::call(Method::POST, repository, &path))
                .await
        })
    }

    fn statuses<'a>(
        &'a self,
        repository: &'a RepositoryName,
        commit: &'a RefName,
    ) -> Reply<'a, Vec<CommitStatus>> {
        Box::pin(async {
            let call = Self::get(repository, &["commit", commit.as_str(), "statuses"]);
            let convert = |found: shape::Status| CommitStatus::from(found);
            let call = call.query("pagelen", "100");
            Ok(self.page(call, convert).await?.items)
        })
    }

    fn set_status<'a>(
        &'a self,
        repository: &'a RepositoryName,
        commit: &'a RefName,
        status: &'a CommitStatus,
    ) -> Reply<'a, ()> {
        Box::pin(async {
            let path = ["commit", commit.as_str(), "statuses", "build"];
            let call = Self::call(Method::POST, repository, &path);
            self.api.done(call.body(shape::status_body(status))).await
        })
    }

    fn comments<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, Vec<Comment>> {
        Box::pin(async move {
            let number = number.to_string();
            let call = Self::get(repository, &["pullrequests", &number, "comments"]);
            let convert = |found: shape::CommentEntry| Comment::from(found);
            let call = call.query("pagelen", "100");
            Ok(self.page(call, convert).await?.items)
        })
    }

    fn comment<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
        body: &'a str,
    ) -> Reply<'a, Comment> {
        Box::pin(async move {
            let number = number.to_string();
            let path = ["pullrequests", &number, "comments"];
            let call = Self::call(Method::POST, repository, &path);
            let body = json!({ "content": { "raw": body } });
            let made: shape::CommentEntry = self.api.json(call.body(body)).await?;
            Ok(made.into())
        })
    }

    fn webhooks<'a>(&'a self, repository: &'a RepositoryName) -> Reply<'a, Vec<Webhook>> {
        Box::pin(async {
            let call = Self::get(repository, &["hooks"]).query("pagelen", "100");
            let convert = |found: shape::Hook| Webhook::from(found);
            Ok(self.page(call, convert).await?.items)
        })
    }

    fn create_webhook<'a>(
        &'a self,
        repository: &'a RepositoryName,
        new: &'a NewWebhook,
    ) -> Reply<'a, Webhook> {
        Box::pin(async {
            let call = Self::call(Method::POST, repository, &["hooks"]);
            let made: shape::Hook = self.api.json(call.body(shape::hook_body(new))).await?;
            Ok(made.into())
        })
    }

    fn delete_webhook<'a>(&'a self, repository: &'a RepositoryName, id: &'a str) -> Reply<'a, ()> {
        Box::pin(
            self.api
                .done(Self::call(Method::DELETE, repository, &["hooks", id])),
        )
    }
}
