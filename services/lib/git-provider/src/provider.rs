//! The trait that every provider implements.

use bytes::Bytes;
use futures::future::{BoxFuture, ready};

use crate::{
    Approval, Branch, BudgetState, Capabilities, Comment, CommitStatus, Comparison, Cursor,
    Delivery, FileEntry, MergeOrder, MergeOutcome, NewPullRequest, NewWebhook, Organisation, Page,
    ProviderError, PullRequest, PullRequestFilter, RefName, Repository, RepositoryName, User,
    Webhook,
};

/// The answer of a call.
pub type Reply<'a, T> = BoxFuture<'a, Result<T, ProviderError>>;

/// A Git provider with one credential. What it lacks fails as unsupported.
pub trait Provider: Send + Sync {
    fn capabilities(&self) -> Capabilities;

    /// Requests that the credential has left, as of the last answer.
    fn budget(&self) -> Option<BudgetState> {
        None
    }

    /// Who the credential authenticates as. Detects a credential or URL of another provider.
    fn user(&self) -> Reply<'_, User> {
        unsupported(self.capabilities(), "accounts")
    }

    /// Organisations, groups, workspaces or projects that the credential sees.
    fn organisations(&self, _cursor: Option<Cursor>) -> Reply<'_, Page<Organisation>> {
        unsupported(self.capabilities(), "organisations")
    }

    /// Repositories whose name contains a text, a page at a time.
    fn repositories<'a>(
        &'a self,
        _search: &'a str,
        _cursor: Option<Cursor>,
    ) -> Reply<'a, Page<Repository>> {
        unsupported(self.capabilities(), "list of repositories")
    }

    fn repository<'a>(&'a self, _repository: &'a RepositoryName) -> Reply<'a, Repository> {
        unsupported(self.capabilities(), "list of repositories")
    }

    fn branches<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _cursor: Option<Cursor>,
    ) -> Reply<'a, Page<Branch>> {
        unsupported(self.capabilities(), "list of branches")
    }

    fn branch<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _branch: &'a RefName,
    ) -> Reply<'a, Branch> {
        unsupported(self.capabilities(), "list of branches")
    }

    /// Entries of a folder; the empty path is the root.
    fn files<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _at: &'a RefName,
        _folder: &'a str,
    ) -> Reply<'a, Vec<FileEntry>> {
        unsupported(self.capabilities(), "list of files")
    }

    fn read_file<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _at: &'a RefName,
        _path: &'a str,
    ) -> Reply<'a, Bytes> {
        unsupported(self.capabilities(), "files by API")
    }

    /// What `head` has and `base` has not.
    fn compare<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _base: &'a RefName,
        _head: &'a RefName,
    ) -> Reply<'a, Comparison> {
        unsupported(self.capabilities(), "comparison")
    }

    /// Opens a pull request; one that is open already is refused. [`crate::open_once`] looks first.
    fn open_pull_request<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _new: &'a NewPullRequest,
    ) -> Reply<'a, PullRequest> {
        unsupported(self.capabilities(), "pull requests")
    }

    /// The newest pull request of two branches, preferably an open one.
    fn find_pull_request<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _head: &'a RefName,
        _base: &'a RefName,
    ) -> Reply<'a, Option<PullRequest>> {
        unsupported(self.capabilities(), "pull requests")
    }

    /// Pull requests, newest first, one page.
    fn pull_requests<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _filter: PullRequestFilter,
    ) -> Reply<'a, Page<PullRequest>> {
        unsupported(self.capabilities(), "pull requests")
    }

    fn pull_request<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _number: u64,
    ) -> Reply<'a, PullRequest> {
        unsupported(self.capabilities(), "pull requests")
    }

    /// Tries once to merge, and reads the state where the provider refuses. [`crate::merge`] waits.
    fn try_merge<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _order: &'a MergeOrder,
    ) -> Reply<'a, MergeOutcome> {
        unsupported(self.capabilities(), "pull requests")
    }

    /// Lets the provider merge once its rules are met, or merges at once where they are.
    fn schedule_merge<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _order: &'a MergeOrder,
    ) -> Reply<'a, MergeOutcome> {
        unsupported(self.capabilities(), "automatic merge")
    }

    fn close_pull_request<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _number: u64,
    ) -> Reply<'a, ()> {
        unsupported(self.capabilities(), "pull requests")
    }

    fn approvals<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _number: u64,
    ) -> Reply<'a, Vec<Approval>> {
        unsupported(self.capabilities(), "approvals")
    }

    /// Approves one commit of a pull request.
    fn approve<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _number: u64,
        _head: &'a str,
    ) -> Reply<'a, ()> {
        unsupported(self.capabilities(), "approvals")
    }

    /// Statuses and checks of a commit, the last of each context.
    fn statuses<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _commit: &'a RefName,
    ) -> Reply<'a, Vec<CommitStatus>> {
        unsupported(self.capabilities(), "commit statuses")
    }

    fn set_status<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _commit: &'a RefName,
        _status: &'a CommitStatus,
    ) -> Reply<'a, ()> {
        unsupported(self.capabilities(), "commit statuses")
    }

    fn comments<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _number: u64,
    ) -> Reply<'a, Vec<Comment>> {
        unsupported(self.capabilities(), "comments")
    }

    fn comment<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _number: u64,
        _body: &'a str,
    ) -> Reply<'a, Comment> {
        unsupported(self.capabilities(), "comments")
    }

    fn webhooks<'a>(&'a self, _repository: &'a RepositoryName) -> Reply<'a, Vec<Webhook>> {
        unsupported(self.capabilities(), "webhooks")
    }

    fn create_webhook<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _new: &'a NewWebhook,
    ) -> Reply<'a, Webhook> {
        unsupported(self.capabilities(), "webhooks")
    }

    fn delete_webhook<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _id: &'a str,
    ) -> Reply<'a, ()> {
        unsupported(self.capabilities(), "webhooks")
    }

    /// Newest first, one page.
    fn deliveries<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _webhook: &'a str,
    ) -> Reply<'a, Vec<Delivery>> {
        unsupported(self.capabilities(), "list of webhook deliveries")
    }

    fn redeliver<'a>(
        &'a self,
        _repository: &'a RepositoryName,
        _webhook: &'a str,
        _delivery: &'a str,
    ) -> Reply<'a, ()> {
        unsupported(self.capabilities(), "redelivery of webhooks")
    }
}

fn unsupported<T: Send + 'static>(
    capabilities: Capabilities,
    feature: &'static str,
) -> Reply<'static, T> {
    let provider = capabilities.provider;
    Box::pin(ready(Err(ProviderError::Unsupported { provider, feature })))
}
