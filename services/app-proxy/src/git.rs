//! Git, in the runtime: integrations with sealed credentials, and commits with them.
//!
//! - `integration`: a Git host with a credential; `store`: kept in Secrets of the runtime's namespace.
//! - `rule`: the repositories, branches and paths that the runtime itself allows.
//! - `pull_request`: opened, read, merged and closed through the API of the host.
//! - `host`: the API of a Git host; `test_host` and `check`: what a test of an integration asks there and finds.
//! - `plan`, `locate`: where a change of an application's source stands in Git.
//! - `address`: where a host may be. `config`: settings; without a folder Git is off.
//!
//! A call needs the caller's permission, an entry of `--allow`, and for repositories a rule of `--allow-git`.

mod address;
mod check;
mod config;
mod error;
mod host;
mod integration;
mod locate;
mod plan;
mod pull_request;
mod rule;
mod store;
mod test_host;

use std::sync::Arc;

use causeway_argocd::redact::Redactor;
use causeway_assertion::{SigningKey, UnownedObject};
use causeway_client::RuntimePart;
use causeway_git::{
    Change, Commit, Engine, FileEdit, Http, Person, Preview, Remote, RemoteUrl, StepId,
};
use causeway_proto::ids::{AccountId, RequestId, RuntimeId};

use crate::{
    action::ActionContext,
    outcome::{Attempt, RequestIdentity},
    policy::{Action, NotAllowed, PolicyDecision},
    scope::Requester,
};

pub use self::config::GitArgs;
pub(crate) use self::{
    check::{IntegrationTest, ProblemKind},
    error::RepositoryError,
    integration::{
        ApiToken, Integration, IntegrationName, NewIntegration, OpenCredential, Provider,
        SealedSecret, TokenKind,
    },
    locate::{PlanOrder, PlannedChange},
    plan::{PlanError, PlannedEdit},
    pull_request::{MergeRequest, MergeTime, OpenOrder, PullRequestName},
};
use self::{rule::Rules, store::Secrets};

/// The domain of addresses of authors. It never resolves.
const AUTHOR_DOMAIN: &str = "users.causeway.invalid";
/// So many bytes of differences are shown; later files are named only.
const MAX_DIFF_BYTES: usize = 1 << 20;

/// Integrations and repositories of a runtime. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Repositories {
    setup: Arc<ActionContext>,
    store: Secrets,
    work: Option<Arc<Work>>,
}

/// What commits need; absent where Git is off.
struct Work {
    engine: Engine,
    key: SigningKey,
    rules: Rules,
    http: Http,
    account: AccountId,
    runtime: RuntimeId,
}

/// A repository and a branch, by an integration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) integration: IntegrationName,
    pub(crate) repository: String,
    pub(crate) branch: String,
}

/// Edits to commit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CommitOrder {
    pub(crate) request_id: RequestId,
    pub(crate) target: Target,
    pub(crate) message: String,
    pub(crate) edits: Vec<FileEdit>,
}

impl Repositories {
    /// Opens the engine, if there is a folder for it.
    ///
    /// # Errors
    /// The folder cannot be used, or the runtime's sealing key is missing.
    pub(crate) fn open(
        args: GitArgs,
        part: &RuntimePart,
        setup: Arc<ActionContext>,
    ) -> anyhow::Result<Self> {
        let store = Secrets::new(setup.cluster.clone(), args.integration_namespace.clone());
        let work = match args.engine()? {
            None => None,
            Some(engine) => Some(Arc::new(Work {
                engine,
                key: config::sealing_key(part)?,
                rules: Rules::new(args.allow_git),
                http: if args.git_loopback {
                    Http::Loopback
                } else {
                    Http::Refused
                },
                account: part.runtime.account.clone(),
                runtime: part.runtime.runtime_id.clone(),
            })),
        };
        Ok(Self { setup, store, work })
    }

    /// Creates an integration, unless the same request did before.
    ///
    /// # Errors
    /// See [`RepositoryError`].
    pub(crate) async fn create(
        &self,
        new: NewIntegration,
        request: &RequestIdentity,
        requester: &Requester,
    ) -> Result<(Integration, Attempt), RepositoryError> {
        self.check(Action::Integration, requester)?;
        let work = self.work()?;
        RemoteUrl::parse(&format!("{}/x", new.url), work.http).map_err(RepositoryError::Git)?;
        new.open(&work.key, &work.runtime)?;
        self.store.create(new, request, requester).await
    }

    /// # Errors
    /// See [`RepositoryError`].
    pub(crate) async fn get(
        &self,
        name: &IntegrationName,
        requester: &Requester,
    ) -> Result<Integration, RepositoryError> {
        self.check(Action::GitRead, requester)?;
        Ok(self.store.get(name).await?.0)
    }

    /// Lists all by name.
    ///
    /// # Errors
    /// See [`RepositoryError`].
    pub(crate) async fn list(
        &self,
        requester: &Requester,
    ) -> Result<Vec<Integration>, RepositoryError> {
        self.check(Action::GitRead, requester)?;
        self.store.list().await
    }

    /// # Errors
    /// See [`RepositoryError`].
    pub(crate) async fn delete(
        &self,
        name: &IntegrationName,
        requester: &Requester,
    ) -> Result<(), RepositoryError> {
        self.check(Action::Integration, requester)?;
        self.store.delete(name).await
    }

    /// Commits and pushes, unless the same request did before.
    ///
    /// # Errors
    /// See [`RepositoryError`].
    pub(crate) async fn commit(
        &self,
        order: CommitOrder,
        requester: &Requester,
    ) -> Result<Commit, RepositoryError> {
        self.check(Action::Commit, requester)?;
        let work = self.work()?;
        work.rules.check(&order.target, &order.edits)?;
        let remote = self.remote(work, &order.target).await?;
        let change = to_change(order.request_id, order.message, order.edits, requester)?;
        let done = work
            .engine
            .commit(&remote, &order.target.branch, change)
            .await;
        done.map_err(RepositoryError::Git)
    }

    /// Shows what edits would change. Nothing is written.
    ///
    /// # Errors
    /// See [`RepositoryError`].
    pub(crate) async fn preview(
        &self,
        target: &Target,
        edits: Vec<FileEdit>,
        requester: &Requester,
    ) -> Result<Preview, RepositoryError> {
        self.check(Action::GitRead, requester)?;
        let work = self.work()?;
        work.rules.check(target, &edits)?;
        let remote = self.remote(work, target).await?;
        let change = to_change(
            RequestId::generate(),
            "preview".to_owned(),
            edits,
            requester,
        )?;
        let shown = work.engine.preview(&remote, &target.branch, change).await;
        let shown = shown.map_err(RepositoryError::Git)?;
        Ok(redacted_preview(shown, &self.setup.redactor))
    }

    /// Refuses new commits and waits for the running ones.
    pub(crate) async fn drain(&self) {
        if let Some(work) = &self.work {
            work.engine.drain().await;
        }
    }

    pub(crate) fn redactor(&self) -> &Redactor {
        &self.setup.redactor
    }

    /// The same error without secrets.
    pub(crate) fn redacted(&self, mut error: RepositoryError) -> RepositoryError {
        error.redact(&self.setup.redactor);
        error
    }

    /// Integrations and repositories belong to no application, so rules and entries for applications do not hold for them.
    fn check(&self, action: Action, requester: &Requester) -> Result<(), RepositoryError> {
        let ActionContext { policy, place, .. } = &*self.setup;
        let ground = UnownedObject {
            runtime: place.runtime.as_str(),
            cluster: &place.cluster,
            namespace: self.store.namespace(),
        };
        if !requester.scope.contains_unowned(&ground) {
            return Err(RepositoryError::OutOfScope);
        }
        match policy.answer_on(action, &requester.user, &ground) {
            PolicyDecision::Allowed => Ok(()),
            PolicyDecision::Denied | PolicyDecision::Hidden => {
                let what = format!("in namespace {}", ground.namespace);
                Err(NotAllowed::new(action, &requester.user, what).into())
            }
        }
    }

    fn work(&self) -> Result<&Work, RepositoryError> {
        self.work.as_deref().ok_or(RepositoryError::Off)
    }

    async fn remote(&self, work: &Work, target: &Target) -> Result<Remote, RepositoryError> {
        let (integration, sealed) = self.store.get(&target.integration).await?;
        integration.check_covers(Some(&target.repository))?;
        self.remote_of(work, &integration, &sealed, &target.repository)
            .await
    }

    async fn remote_of(
        &self,
        work: &Work,
        integration: &Integration,
        sealed: &SealedSecret,
        repository: &str,
    ) -> Result<Remote, RepositoryError> {
        let url = RemoteUrl::parse(repository, work.http).map_err(RepositoryError::Git)?;
        let address = address::resolve(&url, work.api_http()).await?;
        let opened = sealed.open(&work.key, &work.runtime, integration);
        let opened = opened.map_err(|error| error.of_stored(&integration.name))?;
        Ok(Remote {
            account: work.account.to_string(),
            url,
            credential_id: sealed.id(),
            credential: opened.credential,
            signing_key: opened.signing_key.map(Arc::new),
            address: Some(address),
        })
    }
}

fn to_change(
    request_id: RequestId,
    message: String,
    edits: Vec<FileEdit>,
    requester: &Requester,
) -> Result<Change, RepositoryError> {
    let user = requester.user.as_str();
    let author = Person::new(user, &format!("{user}@{AUTHOR_DOMAIN}"));
    Ok(Change {
        step: StepId::parse(&request_id.to_string()).map_err(RepositoryError::Git)?,
        author: author.map_err(RepositoryError::Git)?,
        time: i64::try_from(requester.asked_at).unwrap_or(i64::MAX),
        message,
        trailers: vec![("On-behalf-of".to_owned(), user.to_owned())],
        edits,
        start: None,
    })
}

fn redacted_preview(mut preview: Preview, redactor: &Redactor) -> Preview {
    let mut left = MAX_DIFF_BYTES;
    for file in &mut preview.files {
        match left.checked_sub(file.text.len()) {
            Some(rest) => {
                left = rest;
                file.text = redactor.text(&file.text);
            }
            None => file.text = format!("changed {}: too large to show\n", file.path),
        }
    }
    preview
}

#[cfg(test)]
mod tests;
