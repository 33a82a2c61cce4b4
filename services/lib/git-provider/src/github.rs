//! GitHub and GitHub Enterprise Server, REST and GraphQL.

mod app;
mod calls;

use std::time::Duration;

use bytes::Bytes;

use crate::{
    Approval, AutoMerge, Branch, BudgetState, Capabilities, Comment, CommitStatus, Comparison,
    Connection, Cursor, Delivery, FileEntry, HeadPin, MergeOrder, MergeOutcome, NewPullRequest,
    NewWebhook, Organisation, Page, Provider, ProviderError, PullRequest, PullRequestFilter,
    RefName, Reply, Repository, RepositoryName, Secret, Support, User, Webhook,
    api::Api,
    github_style::{self, Style},
    http::{Authorization, Dialect},
};
pub use app::App;
pub(crate) use app::AppTokens;

const NAME: &str = "GitHub";
const STYLE: Style = Style::GitHub;
const APPROVE: &str = "APPROVE";
const JSON: &str = "application/vnd.github+json";
/// Where the content of files is, and what is accepted there.
const RAW: (&str, &str) = ("contents", "application/vnd.github.raw+json");
/// Calls that create something, on the public host.
const PAUSE: Duration = Duration::from_secs(1);

/// How GitHub knows the caller.
#[derive(Debug, Clone)]
pub enum GitHubCredential {
    /// A classic, fine-grained or OAuth token.
    Token(Secret),
    App(App),
}

/// GitHub with a token, or as an installation of an App.
#[derive(Debug)]
pub struct GitHub {
    api: Api,
    /// Path of GraphQL on the host of the API.
    graphql: &'static str,
}

impl GitHub {
    /// The URL is the one of the web pages, such as `https://github.com`.
    ///
    /// # Errors
    /// The URL, its certificates or the key of the App are unusable.
    pub fn new(
        mut connection: Connection,
        credential: &GitHubCredential,
    ) -> Result<Self, ProviderError> {
        let is_cloud = use_api_host(&mut connection)?;
        let path: &[&str] = if is_cloud { &[] } else { &["api", "v3"] };
        let graphql = if is_cloud { "/graphql" } else { "/api/graphql" };
        let dialect = Dialect {
            provider: NAME,
            pause: if is_cloud { PAUSE } else { Duration::ZERO },
            accept: JSON,
        };
        let api = match credential {
            GitHubCredential::Token(token) => {
                let authorization = Authorization::new("authorization", "Bearer ", token);
                Api::new(connection, path, dialect, authorization)?
            }
            GitHubCredential::App(app) => {
                Api::with_app(connection, path, dialect, AppTokens::new(app)?)?
            }
        };
        Ok(Self { api, graphql })
    }
}

/// Replaces the host of the web pages by the one of the API. True for hosts of GitHub itself.
fn use_api_host(connection: &mut Connection) -> Result<bool, ProviderError> {
    let url = &mut connection.url.0;
    let host = url.host_str().unwrap_or_default().to_owned();
    let is_web = host == "github.com" || host.ends_with(".ghe.com") && !host.starts_with("api.");
    if is_web {
        url.set_host(Some(&format!("api.{host}")))
            .map_err(|_| ProviderError::InvalidUrl("has an invalid host"))?;
    }
    Ok(is_web || host == "api.github.com" || host.ends_with(".ghe.com"))
}

impl Provider for GitHub {
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
        Box::pin(self.all_checks(repository, commit))
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

    fn deliveries<'a>(
        &'a self,
        repository: &'a RepositoryName,
        webhook: &'a str,
    ) -> Reply<'a, Vec<Delivery>> {
        Box::pin(self.read_deliveries(repository, webhook))
    }

    fn redeliver<'a>(
        &'a self,
        repository: &'a RepositoryName,
        webhook: &'a str,
        delivery: &'a str,
    ) -> Reply<'a, ()> {
        Box::pin(self.repeat_delivery(repository, webhook, delivery))
    }
}
