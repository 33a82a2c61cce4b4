//! Azure DevOps Services and Server, REST API 7.1, one organisation or collection.

mod calls;
mod shape;

use std::time::Duration;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use reqwest::Method;

use crate::{
    Approval, AutoMerge, Branch, BudgetState, Capabilities, Comment, CommitStatus, Comparison,
    Connection, Cursor, FileEntry, HeadPin, MergeOrder, MergeOutcome, NewPullRequest, Organisation,
    Page, Provider, ProviderError, PullRequest, PullRequestFilter, RefName, Reply, Repository,
    RepositoryName, Secret, Support, User,
    api::Api,
    http::{Authorization, Call, Dialect},
};

const NAME: &str = "Azure DevOps";
const VERSION: &str = "7.1";
const DIALECT: Dialect = Dialect {
    provider: NAME,
    pause: Duration::ZERO,
    accept: "application/json",
};

/// How Azure DevOps knows the caller.
#[derive(Debug, Clone)]
pub enum AzureCredential {
    /// A personal access token.
    PersonalToken(Secret),
    /// An access token of Microsoft Entra ID.
    Entra(Secret),
}

/// One organisation of Azure DevOps. Names of repositories are `project/repository`.
#[derive(Debug)]
pub struct AzureDevOps {
    api: Api,
}

impl AzureDevOps {
    /// The URL has the organisation, as in `https://dev.azure.com/acme`.
    ///
    /// # Errors
    /// The URL or its certificates are unusable.
    pub fn new(
        connection: Connection,
        credential: &AzureCredential,
    ) -> Result<Self, ProviderError> {
        let authorization = match credential {
            AzureCredential::Entra(token) => Authorization::new("authorization", "Bearer ", token),
            AzureCredential::PersonalToken(token) => {
                let pair = BASE64_STANDARD.encode(format!(":{}", token.expose()));
                Authorization::new("authorization", "Basic ", &Secret::new(&pair)).hiding(token)
            }
        };
        let api = Api::new(connection, &[], DIALECT, authorization)?;
        Ok(Self { api })
    }

    fn call(method: Method, repository: &RepositoryName, rest: &[&str]) -> Call {
        let (project, name) = (repository.owner(), repository.name());
        let mut segments = vec![project, "_apis", "git", "repositories", name];
        segments.extend(rest);
        Call::new(method, &segments).query("api-version", VERSION)
    }

    fn get(repository: &RepositoryName, rest: &[&str]) -> Call {
        Self::call(Method::GET, repository, rest)
    }
}

impl Provider for AzureDevOps {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            provider: NAME,
            pull_requests: Support::Present,
            head_pin: HeadPin::Atomic,
            auto_merge: AutoMerge::Provider,
            statuses: Support::Present,
            // Its service hooks are of a project, unsigned, and one for each event.
            webhooks: Support::Absent,
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
                login: self.account().await?.provider_display_name,
                scopes: None,
            })
        })
    }

    fn organisations(&self, _cursor: Option<Cursor>) -> Reply<'_, Page<Organisation>> {
        Box::pin(self.projects())
    }

    fn repositories<'a>(
        &'a self,
        search: &'a str,
        _cursor: Option<Cursor>,
    ) -> Reply<'a, Page<Repository>> {
        Box::pin(self.search(search))
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
        _cursor: Option<Cursor>,
    ) -> Reply<'a, Page<Branch>> {
        Box::pin(async {
            Ok(Page {
                items: self.heads(repository, "heads/").await?,
                next: None,
            })
        })
    }

    fn branch<'a>(
        &'a self,
        repository: &'a RepositoryName,
        branch: &'a RefName,
    ) -> Reply<'a, Branch> {
        Box::pin(async move {
            // The filter is a prefix.
            let filter = format!("heads/{branch}");
            let found = self.heads(repository, &filter).await?.into_iter();
            let mut found = found.filter(|found| found.name == branch.as_str());
            found.next().ok_or_else(|| ProviderError::NotFound {
                what: format!("branch {branch}"),
            })
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
        Box::pin(self.read_item(repository, at, path))
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
            let call = Self::call(Method::POST, repository, &["pullrequests"]);
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
        Box::pin(self.abandon(repository, number))
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
        _head: &'a str,
    ) -> Reply<'a, ()> {
        Box::pin(self.vote(repository, number))
    }

    fn statuses<'a>(
        &'a self,
        repository: &'a RepositoryName,
        commit: &'a RefName,
    ) -> Reply<'a, Vec<CommitStatus>> {
        Box::pin(async {
            let call = Self::get(repository, &["commits", commit.as_str(), "statuses"]);
            let call = call.query("latestOnly", "true");
            let found: shape::Values<shape::Status> = self.api.json(call).await?;
            Ok(found.value.into_iter().map(CommitStatus::from).collect())
        })
    }

    fn set_status<'a>(
        &'a self,
        repository: &'a RepositoryName,
        commit: &'a RefName,
        status: &'a CommitStatus,
    ) -> Reply<'a, ()> {
        Box::pin(async {
            let path = ["commits", commit.as_str(), "statuses"];
            let call = Self::call(Method::POST, repository, &path);
            self.api.done(call.body(shape::status_body(status))).await
        })
    }

    fn comments<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
    ) -> Reply<'a, Vec<Comment>> {
        Box::pin(self.read_threads(repository, number))
    }

    fn comment<'a>(
        &'a self,
        repository: &'a RepositoryName,
        number: u64,
        body: &'a str,
    ) -> Reply<'a, Comment> {
        Box::pin(self.add_thread(repository, number, body))
    }
}
