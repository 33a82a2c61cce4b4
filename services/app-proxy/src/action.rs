//! What users do with applications: looked up live, checked against the caller's scope and the runtime's list, done once.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use causeway_argocd::{
    Argocd, ArgocdError, Cluster,
    application::{Application, MalformedApplication},
    redact::Redactor,
    rest::{ApplicationName, Sync},
};
use causeway_proto::{ids::RequestId, time::to_millis};
use moka::future::Cache;
use serde_json::Value;

use crate::{
    kube::{Applications, ApplicationsError},
    nearest::nearest,
    outcome::{Asked, First, Origin, Outcome, REMEMBERED, Reused},
    policy::{Action, Answer, NotAllowed, Policy},
    scope::{self, Asker, Place},
    sync::{Decision, Mode, Prune, Running, SyncOrder, decide},
};

const REMEMBERED_FOR: Duration = Duration::from_secs(24 * 3600);
/// How often an order is decided anew because the object changed under it.
const ATTEMPTS: usize = 8;

/// What actions work on.
pub struct Setup {
    /// The cluster with the Applications.
    pub cluster: Cluster,
    /// Its Argo CD; where it is not configured, syncs are started through the Application itself.
    pub argocd: Argocd,
    /// What may be done at all.
    pub policy: Policy,
    /// Where it is, for scopes.
    pub place: Place,
    /// Redacts what users see.
    pub redactor: Redactor,
}

/// Actions on the applications of a cluster. Cheap to clone.
#[derive(Clone)]
pub struct Actions {
    applications: Applications,
    setup: Arc<Setup>,
    first: Cache<RequestId, First>,
}

/// How far a refresh goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresh {
    /// Compares again.
    Normal,
    /// Renders again, too.
    Hard,
}

/// A live object.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
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
    #[error(transparent)]
    Reused(#[from] Reused),
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

impl Actions {
    /// Dials nothing yet.
    pub fn new(setup: impl Into<Arc<Setup>>) -> Self {
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

    /// Starts a sync, unless the same request did before.
    ///
    /// # Errors
    /// See [`ActionError`].
    pub async fn sync(
        &self,
        name: &ApplicationName,
        order: &SyncOrder,
        asker: &Asker,
    ) -> Result<Outcome, ActionError> {
        // Scope and list hold for a repeat, too: they may have become narrower since.
        self.live(name, Action::Sync, asker).await?;
        let asked = Asked::new(name, order);
        let entry = self.first.entry(order.request_id);
        let started = async {
            Ok(Arc::new((
                asked.clone(),
                self.start(name, order, asker).await?,
            )))
        };
        let entry = entry.or_try_insert_with(started).await;
        let entry = entry.map_err(|error: Arc<ActionError>| (*error).clone())?;
        let (first, outcome) = entry.value().as_ref();
        if *first != asked {
            return Err(Reused(order.request_id).into());
        }
        let mut outcome = outcome.clone();
        if !entry.is_fresh() {
            outcome.origin = Origin::EarlierCall;
        }
        Ok(outcome)
    }

    /// Asks Argo CD to compare again.
    ///
    /// # Errors
    /// See [`ActionError`].
    pub async fn refresh(
        &self,
        name: &ApplicationName,
        refresh: Refresh,
        asker: &Asker,
    ) -> Result<u64, ActionError> {
        self.live(name, Action::Refresh, asker).await?;
        let how = match refresh {
            Refresh::Normal => "normal",
            Refresh::Hard => "hard",
        };
        let patched = self.applications.refresh(name, how).await;
        let patched = patched.map_err(ActionError::Applications)?;
        Ok(Application::read(patched)?.resource_version())
    }

    /// The object as the cluster holds it, redacted.
    ///
    /// # Errors
    /// See [`ActionError`].
    pub async fn read(&self, name: &ApplicationName, asker: &Asker) -> Result<Live, ActionError> {
        let (mut object, application) = self.live(name, Action::Read, asker).await?;
        self.setup.redactor.manifest(&mut object);
        Ok(Live {
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
        if let ActionError::Applications(ApplicationsError::Invalid(said)) = &mut error {
            *said = redactor.message(said);
        }
        error
    }

    async fn start(
        &self,
        name: &ApplicationName,
        order: &SyncOrder,
        asker: &Asker,
    ) -> Result<Outcome, ActionError> {
        for _ in 0..ATTEMPTS {
            let (object, application) = self.live(name, Action::Sync, asker).await?;
            match decide(&application, &order.request_id, asker.asked_at) {
                Decision::Start => {}
                Decision::Repeated(at) => return Ok(repeated(&application, at)),
                Decision::Overtaken => return Err(ActionError::Overtaken(name.clone())),
                Decision::Busy(running) => {
                    let application = name.clone();
                    return Err(ActionError::Busy {
                        application,
                        running,
                    });
                }
            }
            if let Some(outcome) = self.attempt(&application, &object, order).await? {
                return Ok(outcome);
            }
        }
        Err(ActionError::Contended(name.clone()))
    }

    /// Nothing where the object has changed, so that it must be decided anew.
    async fn attempt(
        &self,
        application: &Application,
        object: &Value,
        order: &SyncOrder,
    ) -> Result<Option<Outcome>, ActionError> {
        let name = named(application);
        let started = match self.setup.argocd.is_configured() {
            true => self.start_by_api(&name, order, object).await?,
            false => self.start_by_patch(&name, order, object).await?,
        };
        let Some(started) = started else {
            return Ok(None);
        };
        Ok(Some(Outcome {
            resource_version: Application::read(started)?.resource_version(),
            accepted_at: to_millis(SystemTime::now()),
            origin: Origin::ThisCall,
        }))
    }

    async fn start_by_api(
        &self,
        name: &ApplicationName,
        order: &SyncOrder,
        object: &Value,
    ) -> Result<Option<Value>, ActionError> {
        match self.setup.argocd.sync(name, &to_request(order)).await {
            Ok(object) => Ok(Some(object)),
            // Somebody was faster, or the answer was lost on its way: the object tells which.
            Err(ArgocdError::Precondition { .. } | ArgocdError::Unavailable { .. })
                if self.taken(name).await =>
            {
                Ok(None)
            }
            // It is there: another Argo CD has it. What the token may not do is not done past its Argo CD, though.
            Err(ArgocdError::NotFound { .. } | ArgocdError::Denied { .. })
                if self.setup.argocd.may_sync(name).await? =>
            {
                self.start_by_patch(name, order, object).await
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn start_by_patch(
        &self,
        name: &ApplicationName,
        order: &SyncOrder,
        object: &Value,
    ) -> Result<Option<Value>, ActionError> {
        match self.applications.patch(name, order.patch(object)).await {
            Ok(object) => Ok(Some(object)),
            Err(ApplicationsError::Conflict) => Ok(None),
            Err(error) => Err(ActionError::Applications(error)),
        }
    }

    async fn taken(&self, name: &ApplicationName) -> bool {
        let Ok(object) = self.applications.get(name).await else {
            return false;
        };
        Application::read(object).is_ok_and(|application| {
            let (nobody, at_the_end) = (RequestId::generate(), u64::MAX);
            decide(&application, &nobody, at_the_end) != Decision::Start
        })
    }

    /// The live object of a caller who may do this with it. One that is not there for the caller is as one that is not there at
    /// all: the same calls, the same answer.
    async fn live(
        &self,
        name: &ApplicationName,
        action: Action,
        asker: &Asker,
    ) -> Result<(Value, Application), ActionError> {
        let Setup { policy, .. } = &*self.setup;
        policy.check(action, &asker.user)?;
        let object = match self.applications.get(name).await {
            Ok(object) => object,
            Err(ApplicationsError::NotFound) => return Err(self.unknown(name, asker).await),
            Err(error) => return Err(ActionError::Applications(error)),
        };
        let application = match Application::read(object.clone()) {
            Ok(application) => application,
            // Nobody can tell whose it is, so that only those learn of it who may touch all.
            Err(malformed) => {
                let all = asker.scope.is_everything() && policy.is_unlimited(action, &asker.user);
                return Err(match all {
                    true => malformed.into(),
                    false => self.unknown(name, asker).await,
                });
            }
        };
        match self.answer(asker, action, &application) {
            Answer::Allowed => Ok((object, application)),
            Answer::Denied => Err(NotAllowed::new(action, &asker.user, name.to_string()).into()),
            Answer::Hidden => Err(self.unknown(name, asker).await),
        }
    }

    fn answer(&self, asker: &Asker, action: Action, application: &Application) -> Answer {
        let Setup { policy, place, .. } = &*self.setup;
        scope::answer(asker, policy, place, action, application)
    }

    async fn unknown(&self, name: &ApplicationName, asker: &Asker) -> ActionError {
        let objects = self.applications.some().await;
        let read = objects
            .into_iter()
            .filter_map(|object| Application::read(object).ok());
        let visible = read.filter(|it| self.answer(asker, Action::Read, it) != Answer::Hidden);
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

fn to_request(order: &SyncOrder) -> Sync {
    Sync {
        revision: order.revision.clone(),
        prune: order.prune == Prune::Delete,
        dry_run: order.mode == Mode::DryRun,
        infos: order.infos(),
    }
}

fn repeated(application: &Application, started_at: Option<i64>) -> Outcome {
    Outcome {
        resource_version: application.resource_version(),
        accepted_at: started_at.unwrap_or_else(|| to_millis(SystemTime::now())),
        origin: Origin::EarlierCall,
    }
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
