//! GitLab, REST API v4.

mod calls;
mod shape;

use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use serde_json::json;

use crate::{
    Approval, AutoMerge, Branch, BudgetState, Capabilities, Comment, CommitStatus, Comparison,
    Connection, Cursor, Delivery, FileEntry, HeadPin, MergeOrder, MergeOutcome, NewPullRequest,
    NewWebhook, Organisation, Page, Provider, ProviderError, PullRequest, PullRequestFilter,
    RefName, Reply, Repository, RepositoryName, Secret, Support, User, Webhook,
    api::Api,
    http::{Authorization, Call, Dialect},
};

const NAME: &str = "GitLab";
const PAGE: &str = "100";
const DIALECT: Dialect = Dialect {
    provider: NAME,
    pause: Duration::ZERO,
    accept: "application/json",
};

/// GitLab with a personal, group, project or OAuth token.
#[derive(Debug)]
pub struct GitLab {
    api: Api,
}

impl GitLab {
    /// The URL is the one of the web pages, such as `https://gitlab.com`.
    ///
    /// # Errors
    /// The URL or its certificates are unusable.
    pub fn new(connection: Connection, token: &Secret) -> Result<Self, ProviderError> {
        let authorization = Authorization::new("authorization", "Bearer ", token);
        let api = Api::new(connection, &["api", "v4"], DIALECT, authorization)?;
        Ok(Self { api })
    }

    fn call(method: Method, repository: &RepositoryName, rest: &[&str]) -> Call {
        let mut segments = vec!["projects", repository.as_str()];
        segments.extend(rest);
        Call::new(method, &segments)
    }

    fn get(repository: &RepositoryName, rest: &[&str]) -> Call {
        Self::call(Method::GET, repository, rest)
    }
}

impl Provider for GitLab {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            provider: NAME,
            pull_requests: Support::Present,
            head_pin: HeadPin::Atomic,
            auto_merge: AutoMerge::Provider,
            statuses: Support::Present,
            webhooks: Support::Present,
            deliveries: Support::Present,
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
                login: found.username,
                scopes: None,
            })
        })
    }

    fn organisations(&self, cursor: Option<Cursor>) -> Reply<'_, Page<Organisation>> {
        Box::pin(async {
            let call = Call::get(&["groups"]).query("per_page", PAGE).at(cursor);
            let name = |found: shape::Group| Organisation {
                name: found.full_path,
            };
            self.api.page(call, name).await
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
            let found: shape::Project = self.api.json(Self::get(repository, &[])).await?;
            found.try_into()
        })
    }

    fn branches<'a>(
        &'a self,
        repository: &'a RepositoryName,
        cursor: Option<Cursor>,
    ) -> Reply<'a, Page<Branch>> {
        Box::pin(async {
            let call = Self::get(repository, &["repository", "branches"]);
            let call = call.query("per_page", PAGE).at(cursor);
            let convert = |found: shape::BranchEntry| Branch::from(found);
            self.api.page(call, convert).await
        })
    }

    fn branch<'a>(
        &'a self,
        repository: &'a RepositoryName,
        branch: &'a RefName,
    ) -> Reply<'a, Branch> {
        Box::pin(async {
            let path = ["repository", "branches", branch.as_str()];
            let found: shape::BranchEntry = self.api.json(Self::get(repository, &path)).await?;
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
        Box::pin(self.read_raw(repository, at, path))
    }

    fn compare<'a>(
        &'a self,
        repository: &'a RepositoryName,
        base: &'a RefName,
        head: &'a RefName,
    ) -> Reply<'a, Comparison> {
        Box::pin(async {
            let call = Self::get(repository, &["repository", "compare"])
                .query("from", base.as_str())
                .query("to", head.as_str());
            let found: shape::Compared = self.api.json(call).await?;
            Ok(found.into())
        })
    }

    fn open_pull_request<'a>(
        &'a self,
        repository: &'a RepositoryName,
        new: &'a NewPullRequest,
    ) -> Reply<'a, PullRequest> {
        Box::pin(async {
            let body = json!({
                "source_branch": new.head, "target_branch": new.base, "title": new.title, "description": new.body,
            });
            let call = Self::call(Method::POST, repository, &["merge_requests"]).body(body);
            let made: shape::MergeRequest = self.api.json(call).await?;
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
        Box::pin(self.list_requests(repository, filter))
    }

    fn pull_request<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, PullRequest> {
        Box::pin(async move { Ok(self.read_request(repository, number).await?.into()) })
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
        Box::pin(async move {
            let number = number.to_string();
            let call = Self::call(Method::PUT, repository, &["merge_requests", &number]);
            let call = call.body(json!({ "state_event": "close" }));
            self.api.done(call).await
        })
    }

    fn approvals<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, Vec<Approval>> {
        Box::pin(self.read_approvals(repository, number))
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
        repository: &'a RepositoryName,
        commit: &'a RefName,
    ) -> Reply<'a, Vec<CommitStatus>> {
        Box::pin(async {
            let path = ["repository", "commits", commit.as_str(), "statuses"];
            let call = Self::get(repository, &path).query("per_page", PAGE);
            let convert = |found: shape::Status| CommitStatus::from(found);
            Ok(self.api.page(call, convert).await?.items)
        })
    }

    fn set_status<'a>(
        &'a self,
        repository: &'a RepositoryName,
        commit: &'a RefName,
        status: &'a CommitStatus,
    ) -> Reply<'a, ()> {
        Box::pin(self.write_status(repository, commit, status))
    }

    fn comments<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, Vec<Comment>> {
        Box::pin(self.read_notes(repository, number))
    }

    fn comment<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
        body: &'a str,
    ) -> Reply<'a, Comment> {
        Box::pin(async move {
            let number = number.to_string();
            let path = ["merge_requests", &number, "notes"];
            let call = Self::call(Method::POST, repository, &path);
            let made: shape::Note = self.api.json(call.body(json!({ "body": body }))).await?;
            Ok(made.into())
        })
    }

    fn webhooks<'a>(&'a self, repository: &'a RepositoryName) -> Reply<'a, Vec<Webhook>> {
        Box::pin(async {
            let call = Self::get(repository, &["hooks"]).query("per_page", PAGE);
            let convert = |found: shape::Hook| Webhook::from(found);
            Ok(self.api.page(call, convert).await?.items)
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

    fn deliveries<'a>(
        &'a self,
        repository: &'a RepositoryName,
        webhook: &'a str,
    ) -> Reply<'a, Vec<Delivery>> {
        Box::pin(async move {
            let call = Self::get(repository, &["hooks", webhook, "events"]);
            let convert = |found: shape::HookEvent| Delivery::from(found);
            Ok(self.api.page(call, convert).await?.items)
        })
    }

    fn redeliver<'a>(
        &'a self,
        repository: &'a RepositoryName,
        webhook: &'a str,
        delivery: &'a str,
    ) -> Reply<'a, ()> {
        let path = ["hooks", webhook, "events", delivery, "resend"];
        Box::pin(self.api.done(Self::call(Method::POST, repository, &path)))
    }
}
