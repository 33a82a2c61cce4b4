//! Pull requests: opened with a commit of ours, merged at the commit that was reviewed.
//!
//! The rules of the runtime hold for the base branch and for every path, of a merge too.

use std::time::Duration;

use causeway_git::{Commit, FileEdit, Remote};
use causeway_git_provider::{
    MergeMethod, MergeOrder, MergeOutcome, MergeWait, NewPullRequest, Page, PullRequest,
    PullRequestFilter, RefName, RepositoryName, decided, merge, open_once,
};
use causeway_proto::ids::RequestId;

use super::{
    Repositories, RepositoryError, Target, Work,
    host::{self, Host},
    to_change,
};
use crate::{policy::Action, scope::Requester};

/// Below it the branches of pull requests lie.
const PREFIX: &str = "causeway/";
/// So long a host may compute before the answer is "not yet".
const PATIENCE: Duration = Duration::from_secs(8);

/// Edits to propose.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenOrder {
    pub(crate) request_id: RequestId,
    /// With the branch to merge into.
    pub(crate) target: Target,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) edits: Vec<FileEdit>,
}

/// A pull request of a repository; its branch is read from the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PullRequestName {
    pub(crate) repository: Target,
    pub(crate) number: u64,
}

/// A merge to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MergeRequest {
    pub(crate) name: PullRequestName,
    /// The commit that was reviewed.
    pub(crate) head: String,
    pub(crate) method: MergeMethod,
    pub(crate) time: MergeTime,
}

/// When a merge is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MergeTime {
    Now,
    /// By the host, once its rules are met.
    WhenRulesAreMet,
}

/// A host with a repository of it.
struct Place {
    host: Host,
    name: RepositoryName,
    remote: Remote,
}

impl Repositories {
    /// Commits to a new branch and opens a pull request for it, unless the same request did before.
    ///
    /// # Errors
    /// See [`RepositoryError`].
    pub(crate) async fn open_pull_request(
        &self,
        order: OpenOrder,
        requester: &Requester,
    ) -> Result<(PullRequest, Commit), RepositoryError> {
        self.check(Action::Commit, requester)?;
        let work = self.work()?;
        work.rules.check(&order.target, &order.edits)?;
        let place = self.place(work, &order.target).await?;
        let head = format!("{PREFIX}{}", order.request_id);
        let new = NewPullRequest {
            head: head.clone(),
            base: order.target.branch.clone(),
            title: order.title.clone(),
            body: order.description,
        };
        let mut change = to_change(order.request_id, order.title, order.edits, requester)?;
        change.start = Some(order.target.branch);
        let commit = work.engine.commit(&place.remote, &head, change).await;
        let commit = commit.map_err(RepositoryError::Git)?;
        let opened = place.open(&new, commit.is_repeat).await?;
        Ok((opened, commit))
    }

    /// # Errors
    /// See [`RepositoryError`].
    pub(crate) async fn pull_request(
        &self,
        name: &PullRequestName,
        requester: &Requester,
    ) -> Result<PullRequest, RepositoryError> {
        self.check(Action::GitRead, requester)?;
        let work = self.work()?;
        work.check_repository(&name.repository)?;
        let place = self.place(work, &name.repository).await?;
        place.read(name.number).await
    }

    /// # Errors
    /// See [`RepositoryError`].
    pub(crate) async fn pull_requests(
        &self,
        repository: &Target,
        filter: PullRequestFilter,
        requester: &Requester,
    ) -> Result<Page<PullRequest>, RepositoryError> {
        self.check(Action::GitRead, requester)?;
        let work = self.work()?;
        work.check_repository(repository)?;
        let place = self.place(work, repository).await?;
        let listed = place.host.pull_requests(&place.name, filter).await;
        listed.map_err(RepositoryError::Host)
    }

    /// Merges the commit that was reviewed, if its branch and paths are allowed.
    ///
    /// # Errors
    /// See [`RepositoryError`].
    pub(crate) async fn merge_pull_request(
        &self,
        request: &MergeRequest,
        requester: &Requester,
    ) -> Result<MergeOutcome, RepositoryError> {
        self.check(Action::Commit, requester)?;
        let work = self.work()?;
        work.check_repository(&request.name.repository)?;
        let place = self.place(work, &request.name.repository).await?;
        let found = place.read(request.name.number).await?;
        let target = request.name.repository.with_branch(&found.base_branch);
        work.rules.check(&target, &[])?;
        let order = MergeOrder {
            number: found.number,
            head: request.head.clone(),
            method: request.method,
            title: format!("{} (#{})", found.title, found.number),
            message: format!("On-behalf-of: {}", requester.user),
        };
        // A head that moved may be gone, so that nothing could be compared with it.
        if let Some(outcome) = decided(found, &order) {
            return Ok(outcome);
        }
        place.check_files(work, &target, &order).await?;
        let wait = MergeWait { patience: PATIENCE };
        let outcome = match request.time {
            MergeTime::Now => merge(place.host.as_ref(), &place.name, &order, wait).await,
            MergeTime::WhenRulesAreMet => place.host.schedule_merge(&place.name, &order).await,
        };
        outcome.map_err(RepositoryError::Host)
    }

    /// # Errors
    /// See [`RepositoryError`].
    pub(crate) async fn close_pull_request(
        &self,
        name: &PullRequestName,
        requester: &Requester,
    ) -> Result<(), RepositoryError> {
        self.check(Action::Commit, requester)?;
        let work = self.work()?;
        work.check_repository(&name.repository)?;
        let place = self.place(work, &name.repository).await?;
        let found = place.read(name.number).await?;
        work.rules
            .check(&name.repository.with_branch(&found.base_branch), &[])?;
        let closed = place
            .host
            .close_pull_request(&place.name, name.number)
            .await;
        closed.map_err(RepositoryError::Host)
    }

    async fn place(&self, work: &Work, target: &Target) -> Result<Place, RepositoryError> {
        let (integration, sealed) = self.store.get(&target.integration).await?;
        let repository = target.repository.as_str();
        integration.check_covers(Some(repository))?;
        let token = sealed.open_token(&work.key, &work.runtime, &integration);
        let token = token.map_err(|error| error.of_stored(&integration.name))?;
        let place = host::place(&integration, Some(repository));
        Ok(Place {
            host: host::connect(&integration, token.as_ref(), &place, work.api_http())?,
            name: place.name()?,
            remote: self
                .remote_of(work, &integration, &sealed, repository)
                .await?,
        })
    }
}

impl Place {
    /// The branch is named after the request, so that its pull request is the one of the request, merged or not.
    async fn open(
        &self,
        new: &NewPullRequest,
        is_repeat: bool,
    ) -> Result<PullRequest, RepositoryError> {
        let host = self.host.as_ref();
        if is_repeat {
            let (head, base) = (ref_name(&new.head)?, ref_name(&new.base)?);
            let found = host.find_pull_request(&self.name, &head, &base).await;
            if let Some(found) = found.map_err(RepositoryError::Host)? {
                return Ok(found);
            }
        }
        let opened = open_once(host, &self.name, new).await;
        opened.map_err(RepositoryError::Host)
    }

    async fn read(&self, number: u64) -> Result<PullRequest, RepositoryError> {
        let found = self.host.pull_request(&self.name, number).await;
        found.map_err(RepositoryError::Host)
    }

    /// What is merged is the head that the order names, so that its files are the ones to check.
    async fn check_files(
        &self,
        work: &Work,
        target: &Target,
        order: &MergeOrder,
    ) -> Result<(), RepositoryError> {
        if work.rules.has_every_path(target) {
            return Ok(());
        }
        let (base, head) = (ref_name(&target.branch)?, ref_name(&order.head)?);
        let compared = self.host.compare(&self.name, &base, &head).await;
        let compared = compared.map_err(RepositoryError::Host)?;
        if !compared.is_complete {
            return Err(RepositoryError::TooManyFiles(order.number));
        }
        work.rules.check_paths(target, &compared.files)
    }
}

impl Work {
    fn check_repository(&self, target: &Target) -> Result<(), RepositoryError> {
        if self.rules.has_repository(&target.repository) {
            return Ok(());
        }
        Err(RepositoryError::NotAllowed {
            repository: target.repository.clone(),
            branch: "any".to_owned(),
        })
    }
}

impl Target {
    fn with_branch(&self, branch: &str) -> Self {
        Self {
            branch: branch.to_owned(),
            ..self.clone()
        }
    }
}

fn ref_name(text: &str) -> Result<RefName, RepositoryError> {
    RefName::parse(text).map_err(|error| RepositoryError::Host(error.into()))
}
