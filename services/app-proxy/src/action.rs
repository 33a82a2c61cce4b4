//! What users do with applications: looked up live, checked against the caller's scope and the runtime's list, done once.

mod change;
mod deletion;
mod operation;
mod source;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use causeway_argocd::{
    Argocd, ArgocdError, Cluster,
    application::{Application, MalformedApplication},
    redact::Redactor,
    rest::{ApplicationName, Verb},
};
use causeway_proto::{ids::RequestId, time::to_millis};
use futures::future::BoxFuture;
use moka::future::Cache;
use serde_json::Value;

use crate::{
    kube::{Applications, ApplicationsError},
    nearest::nearest,
    outcome::{Attempt, Outcome, REMEMBERED, RecordedOutcome, RequestIdReused, RequestIdentity},
    policy::{Action, NotAllowed, Policy, PolicyDecision},
    scope::{self, Requester, ScopeTarget},
    source::SourceError,
    sync::{OrderError, Running},
};

pub(crate) use change::{RefreshMode, RefreshOrder};
pub(crate) use deletion::{Cascade, DeleteOrder};

const REMEMBERED_FOR: Duration = Duration::from_secs(24 * 3600);
/// Attempts before an action on a changing object is given up.
const ATTEMPTS: usize = 8;

/// Cluster, Argo CD and policy that every action uses.
pub struct ActionContext {
    /// The cluster with the Applications.
    pub cluster: Cluster,
    /// Its Argo CD; where it is not configured, syncs are started through the Application itself.
    pub argocd: Argocd,
    /// What may be done at all.
    pub policy: Policy,
    /// Where it is, for scopes.
    pub place: ScopeTarget,
    /// Where it may look for an application of a near name; everywhere if there are none.
    pub namespaces: Vec<String>,
    /// Redacts what users see.
    pub redactor: Redactor,
}

/// Actions on the applications of a cluster. Cheap to clone.
#[derive(Clone)]
pub struct Actions {
    applications: Applications,
    setup: Arc<ActionContext>,
    first: Cache<RequestId, RecordedOutcome>,
}

/// Live object with its resource version.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveObject {
    /// The object, redacted.
    pub object: Value,
    /// Its resource version.
    pub resource_version: u64,
}

/// Why an action was not done. Each text is one line that says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ActionError {
    #[error("{}", unknown(application, nearest))]
    Unknown {
        application: ApplicationName,
        nearest: Vec<String>,
    },
    #[error(transparent)]
    NotAllowed(#[from] NotAllowed),
    #[error("another operation is under way on {application}, started by {}{}; follow it with 'causeway app get {}' and try again when it has ended", running.by, since(running), application.name)]
    Busy {
        application: ApplicationName,
        running: Running,
    },
    #[error("no operation is under way on {0}: there is nothing to end")]
    Idle(ApplicationName),
    #[error("the operation on {0} was asked for and has not begun: try again in a moment")]
    NotBegun(ApplicationName),
    #[error(
        "{application} is being deleted since {since} with another choice for its resources, which cannot be changed any more; follow it with 'causeway app wait {} --delete'", application.name
    )]
    Deleting {
        application: ApplicationName,
        since: String,
    },
    #[error("{application}: {error}")]
    Order {
        application: ApplicationName,
        error: Box<OrderError>,
    },
    #[error("{application}: {error}")]
    Source {
        application: ApplicationName,
        error: Box<SourceError>,
    },
    #[error(
        "whether it took effect on {application} is not known ({cause}): send it again with request_id {request_id}, which has no second effect, or see 'causeway app get {}'", application.name
    )]
    OutcomeUnknown {
        application: ApplicationName,
        request_id: RequestId,
        cause: String,
    },
    #[error(transparent)]
    RequestIdReused(#[from] RequestIdReused),
    #[error(
        "another operation on {0} began after this one was asked for: ask again if it is still wanted"
    )]
    Overtaken(ApplicationName),
    #[error("{0} is changed by others all the time: try again")]
    Contended(ApplicationName),
    #[error(transparent)]
    Malformed(#[from] MalformedApplication),
    #[error(transparent)]
    Applications(ApplicationsError),
    #[error(transparent)]
    Argocd(#[from] ArgocdError),
}

impl ActionError {
    fn unknown(application: &ApplicationName, asked: &RequestIdentity, cause: &str) -> Self {
        Self::OutcomeUnknown {
            application: application.clone(),
            request_id: asked.id,
            cause: cause.to_owned(),
        }
    }

    fn order(application: &Application, error: OrderError) -> Self {
        Self::Order {
            application: named(application),
            error: Box::new(error),
        }
    }
}

impl Actions {
    /// Dials nothing yet.
    pub fn new(setup: impl Into<Arc<ActionContext>>) -> Self {
        let setup = setup.into();
        Self {
            applications: Applications::new(setup.cluster.clone()),
            setup,
            first: Cache::builder()
                .max_capacity(REMEMBERED)
                .time_to_live(REMEMBERED_FOR)
                .build(),
        }
    }

    /// The object as the cluster holds it, redacted.
    ///
    /// # Errors
    /// See [`ActionError`].
    pub async fn read(
        &self,
        name: &ApplicationName,
        requester: &Requester,
    ) -> Result<LiveObject, ActionError> {
        let (mut object, application) = self.live(name, Action::Read, requester).await?;
        self.setup.redactor.manifest(&mut object);
        Ok(LiveObject {
            object,
            resource_version: application.resource_version(),
        })
    }

    /// What Argo CD and the cluster say when they refuse may quote what they were given.
    pub(crate) fn redacted(&self, mut error: ActionError) -> ActionError {
        let redactor = &self.setup.redactor;
        if let ActionError::Argocd(said) = &mut error {
            said.redact(redactor);
        }
        if let ActionError::Applications(said) = &mut error {
            said.redact(redactor);
        }
        if let ActionError::OutcomeUnknown { cause, .. } = &mut error {
            *cause = redactor.message(cause);
        }
        error
    }

    /// Does what a request asks for, unless the same request did before. A repeat of this process waits for the first one.
    async fn once(
        &self,
        asked: &RequestIdentity,
        act: BoxFuture<'_, Result<Outcome, ActionError>>,
    ) -> Result<Outcome, ActionError> {
        let entry = self.first.entry(asked.id);
        let done = async { Ok(Arc::new((asked.clone(), act.await?))) };
        let entry = entry.or_try_insert_with(done).await;
        let entry = entry.map_err(|error: Arc<ActionError>| (*error).clone())?;
        let (first, outcome) = entry.value().as_ref();
        if first != asked {
            return Err(RequestIdReused(asked.id).into());
        }
        let mut outcome = outcome.clone();
        if !entry.is_fresh() {
            outcome.origin = Attempt::EarlierCall;
        }
        Ok(outcome)
    }

    /// What the token may not do is not done past its Argo CD.
    async fn authorize(&self, verb: Verb, application: &Application) -> Result<(), ActionError> {
        let argocd = &self.setup.argocd;
        let name = named(application);
        if !argocd.is_configured() || argocd.is_permitted(verb, &name).await? {
            return Ok(());
        }
        let application = name.to_string();
        Err(ArgocdError::Denied { application }.into())
    }

    /// Writes a patch for one version of the object. Returns `None` when the object must be read again: it changed, or the
    /// response was lost, and then the object shows whether the patch was written.
    async fn write(
        &self,
        name: &ApplicationName,
        patch: Value,
        asked: &RequestIdentity,
    ) -> Result<Option<Value>, ActionError> {
        match self.applications.patch(name, patch).await {
            Ok(object) => Ok(Some(object)),
            Err(ApplicationsError::Conflict) => Ok(None),
            Err(error) if error.is_lost() => match self.applications.get(name).await {
                Ok(_) | Err(ApplicationsError::NotFound) => Ok(None),
                Err(error) => Err(ActionError::unknown(name, asked, &error.to_string())),
            },
            Err(error) => Err(ActionError::Applications(error)),
        }
    }

    /// The live object of a caller who may do this with it. One that is not there for the caller is as one that is not there at
    /// all: the same calls, the same answer.
    pub(crate) async fn live(
        &self,
        name: &ApplicationName,
        action: Action,
        requester: &Requester,
    ) -> Result<(Value, Application), ActionError> {
        let ActionContext { policy, .. } = &*self.setup;
        policy.check(action, &requester.user)?;
        let object = match self.applications.get(name).await {
            Ok(object) => object,
            Err(ApplicationsError::NotFound) => return Err(self.unknown(name, requester).await),
            Err(error) => return Err(ActionError::Applications(error)),
        };
        let application = match Application::from_value(object.clone()) {
            Ok(application) => application,
            // Nobody can tell whose it is, so that only those learn of it who may touch all.
            Err(malformed) => {
                let all =
                    requester.scope.is_everything() && policy.is_unlimited(action, &requester.user);
                return Err(if all {
                    malformed.into()
                } else {
                    self.unknown(name, requester).await
                });
            }
        };
        match self.answer(requester, action, &application) {
            PolicyDecision::Allowed => Ok((object, application)),
            PolicyDecision::Denied => {
                Err(NotAllowed::new(action, &requester.user, name.to_string()).into())
            }
            PolicyDecision::Hidden => Err(self.unknown(name, requester).await),
        }
    }

    fn answer(
        &self,
        requester: &Requester,
        action: Action,
        application: &Application,
    ) -> PolicyDecision {
        let ActionContext { policy, place, .. } = &*self.setup;
        scope::answer(requester, policy, place, action, application)
    }

    pub(crate) async fn unknown(
        &self,
        name: &ApplicationName,
        requester: &Requester,
    ) -> ActionError {
        let objects = self.applications.some(&self.setup.namespaces).await;
        let read = objects
            .into_iter()
            .filter_map(|object| Application::from_value(object).ok());
        let visible =
            read.filter(|it| self.answer(requester, Action::Read, it) != PolicyDecision::Hidden);
        let named = visible.map(|it| (it.metadata.namespace, it.metadata.name));
        ActionError::Unknown {
            application: name.clone(),
            nearest: nearest(&name.namespace, &name.name, named),
        }
    }
}

/// With its project, as Argo CD understands an empty one: without a project Argo CD does not tell absence from refusal.
fn named(application: &Application) -> ApplicationName {
    let project = match application.spec.project.as_str() {
        "" => "default",
        project => project,
    };
    ApplicationName {
        namespace: application.metadata.namespace.clone(),
        name: application.metadata.name.clone(),
        project: project.to_owned(),
    }
}

/// What this call did, by the object that carries it.
fn done(object: Value, at: i64) -> Result<Outcome, ActionError> {
    let application = Application::from_value(object)?;
    Ok(Outcome {
        uid: application.metadata.uid.clone(),
        resource_version: application.resource_version(),
        accepted_at: at,
        origin: Attempt::ThisCall,
        fields: Vec::new(),
    })
}

/// What had been done before, at a time where that is known.
fn repeated(application: &Application, at: Option<i64>) -> Outcome {
    Outcome {
        uid: application.metadata.uid.clone(),
        resource_version: application.resource_version(),
        accepted_at: at.unwrap_or_else(now),
        origin: Attempt::EarlierCall,
        fields: Vec::new(),
    }
}

/// Milliseconds since 1970.
fn now() -> i64 {
    to_millis(SystemTime::now())
}

fn unknown(application: &ApplicationName, nearest: &[String]) -> String {
    let text = format!("there is no application {application}");
    match nearest {
        [] => format!("{text}; 'causeway app list' shows all"),
        nearest => format!("{text}; did you mean {}?", nearest.join(" or ")),
    }
}

fn since(running: &Running) -> String {
    match running.since.as_str() {
        "" => String::new(),
        since => format!(" at {since}"),
    }
}
