//! Verbs carried out: the object is looked at, what is asked for is noted on it together with what changes it, and only then the
//! status is changed, which no write changes together with the object. Whoever comes again finds the note and goes on from there.

use std::time::Duration;

use causeway_argocd::application::Application;
use causeway_client::Backoff;
use causeway_proto::ids::RequestId;
use serde_json::{Value, json};

use super::{Plan, RolloutRefusal, RolloutState, Verb, digest, revision, revision_of};
use crate::{
    kube::objects::{ObjectError, ObjectName, Objects},
    merge::applied,
    outcome::{Attempt, RequestIdReused},
    policy::Action,
    record::{ANNOTATION, Entry, Progress, Record},
    scope::Requester,
    subject::{ResourceName, Subject, SubjectError, Subjects},
};

const GROUP: &str = "argoproj.io";
const KIND: &str = "Rollout";
/// Attempts before an action on a changing Rollout is given up.
const ATTEMPTS: usize = 12;
/// The bounds of the waits between: the controller answers a write with a burst of its own.
const PAUSES: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];

/// Verbs on the rollouts of a cluster. Cheap to clone.
#[derive(Clone)]
pub struct Rollouts {
    subjects: Subjects,
    rollouts: Objects,
    replica_sets: Objects,
}

/// A verb for a rollout of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolloutOrder {
    /// The request.
    pub request_id: RequestId,
    /// The Rollout.
    pub rollout: ObjectName,
    /// What to do with it.
    pub verb: Verb,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolloutOutcome {
    /// Whether an earlier call had done it.
    pub origin: Attempt,
    /// The resource version of the Rollout that carries it.
    pub resource_version: u64,
    /// True if there was nothing to do.
    pub unchanged: bool,
    /// What the caller should know beside; empty where there is nothing.
    pub note: &'static str,
}

/// Why it was not done. Each text is one line that says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RolloutError {
    #[error(transparent)]
    Subject(#[from] SubjectError),
    #[error("{verb} is not for {0}/{1}: {refusal}", rollout.namespace, rollout.name)]
    Refused {
        rollout: ObjectName,
        verb: String,
        refusal: RolloutRefusal,
    },
    #[error(transparent)]
    RequestIdReused(#[from] RequestIdReused),
    #[error(
        "whether request_id {0} was done before another revision came is not known: look with 'causeway rollout get {name}'", name = .1.name
    )]
    Unknown(RequestId, ObjectName),
    #[error(
        "so much was asked of {namespace}/{name} since then that it may have been done before: ask again if it is still wanted",
        namespace = .0.namespace, name = .0.name
    )]
    Overtaken(ObjectName),
    #[error("{namespace}/{name} is changed by others all the time: try again", namespace = .0.namespace, name = .0.name)]
    Contended(ObjectName),
    #[error(transparent)]
    Cluster(ObjectError),
}

/// What is to be done next.
enum Step {
    /// Take it up.
    Begin(Plan),
    /// The status is as it was when it was taken up.
    Finish(Plan),
    /// It was done.
    Repeated(Progress),
}

impl Rollouts {
    /// Dials nothing yet.
    pub fn new(subjects: Subjects) -> Self {
        let cluster = &subjects.setup.cluster;
        let rollouts = (GROUP, "v1alpha1", KIND, "rollouts");
        let sets = ("apps", "v1", "ReplicaSet", "replicasets");
        Self {
            rollouts: Objects::new(cluster.clone(), rollouts),
            replica_sets: Objects::new(cluster.clone(), sets),
            subjects,
        }
    }

    /// Does it, unless the same request did before.
    ///
    /// # Errors
    /// See [`RolloutError`].
    pub async fn act(
        &self,
        order: &RolloutOrder,
        requester: &Requester,
    ) -> Result<RolloutOutcome, RolloutError> {
        let mut origin = Attempt::EarlierCall;
        let [first, most] = PAUSES;
        let mut backoff = Backoff::new(first, most);
        for _ in 0..ATTEMPTS {
            // Scope and list hold for a repeat, too: they may have become narrower since.
            let name = order.name();
            let found = self
                .subjects
                .find(&name, Action::Rollout, requester)
                .await?;
            let Subject {
                object: live,
                application,
                ..
            } = found;
            let written = match self.next(order, requester, &live).await? {
                Step::Repeated(progress) => {
                    return Ok(outcome(
                        order,
                        application.as_ref(),
                        (&live, progress),
                        origin,
                    ));
                }
                Step::Begin(plan) => {
                    let begun = self.begin((order, requester), &live, &plan).await;
                    if begun.is_ok() {
                        origin = Attempt::ThisCall;
                    }
                    match (begun, plan.status) {
                        (Ok(live), Some(status)) => self.finish(order, &live, &status).await,
                        (begun, _) => begun,
                    }
                }
                Step::Finish(plan) => match &plan.status {
                    Some(status) => self.finish(order, &live, status).await,
                    None => self.settle(order, &live).await,
                },
            };
            match written {
                Ok(_) => {}
                Err(ObjectError::Conflict) => tokio::time::sleep(backoff.next_delay()).await,
                Err(error) => return Err(order.explain(error)),
            }
        }
        Err(RolloutError::Contended(order.rollout.clone()))
    }

    /// What Argo CD and the cluster say when they refuse may quote what they were given.
    pub(crate) fn redacted(&self, mut error: RolloutError) -> RolloutError {
        let redactor = &self.subjects.setup.redactor;
        if let RolloutError::Cluster(said) = &mut error {
            said.redact(redactor);
        }
        if let RolloutError::Subject(said) = &mut error {
            said.redact(redactor);
        }
        error
    }

    async fn next(
        &self,
        order: &RolloutOrder,
        requester: &Requester,
        live: &Value,
    ) -> Result<Step, RolloutError> {
        let record = Record::of(live);
        let Some(entry) = record.find(&order.request_id) else {
            if record.may_have_forgotten(requester.asked_at) {
                return Err(RolloutError::Overtaken(order.rollout.clone()));
            }
            return Ok(Step::Begin(self.plan(order, requester, live).await?));
        };
        if entry.asked != order_digest(order, requester) {
            return Err(RequestIdReused(order.request_id).into());
        }
        if entry.progress != Progress::Begun {
            return Ok(Step::Repeated(entry.progress));
        }
        if entry.from == order.verb.standing(live) {
            return Ok(Step::Finish(self.plan(order, requester, live).await?));
        }
        // What it was for is over.
        if order.verb.outlives_revisions() || revision_of(&entry.from) == revision(live) {
            Ok(Step::Finish(Plan::default()))
        } else {
            Err(RolloutError::Unknown(
                order.request_id,
                order.rollout.clone(),
            ))
        }
    }

    async fn plan(
        &self,
        order: &RolloutOrder,
        requester: &Requester,
        live: &Value,
    ) -> Result<Plan, RolloutError> {
        let mut replica_sets = Vec::new();
        if matches!(order.verb, Verb::Undo { .. }) {
            let listed = self.replica_sets.list(&order.rollout.namespace).await;
            replica_sets = listed.map_err(|error| order.explain(error))?;
        }
        let plan = order.verb.plan(RolloutState {
            rollout: live,
            replica_sets: &replica_sets,
            now: requester.asked_at,
        });
        plan.map_err(|refusal| RolloutError::Refused {
            rollout: order.rollout.clone(),
            verb: order.verb.name().to_owned(),
            refusal,
        })
    }

    /// Notes the request on the object, together with what changes it.
    async fn begin(
        &self,
        (order, requester): (&RolloutOrder, &Requester),
        live: &Value,
        plan: &Plan,
    ) -> Result<Value, ObjectError> {
        let progress = match (&plan.object, &plan.status) {
            (_, Some(_)) => Progress::Begun,
            (Some(_), None) => Progress::Done,
            (None, None) => Progress::Unchanged,
        };
        let change = plan.object.clone().unwrap_or_else(|| json!({}));
        let entry = Entry {
            id: order.request_id.to_string(),
            asked: order_digest(order, requester),
            from: order.verb.standing(live),
            progress,
            at: requester.asked_at,
        };
        let note = noted(live, &Record::of(live).with(entry));
        self.rollouts
            .patch(&order.rollout, &applied(&change, &note))
            .await
    }

    async fn finish(
        &self,
        order: &RolloutOrder,
        live: &Value,
        status: &Value,
    ) -> Result<Value, ObjectError> {
        let patch = applied(status, &version(live));
        let live = self.rollouts.patch_status(&order.rollout, &patch).await?;
        self.settle(order, &live).await
    }

    /// Notes that all of it is done.
    async fn settle(&self, order: &RolloutOrder, live: &Value) -> Result<Value, ObjectError> {
        let record = Record::of(live);
        let Some(entry) = record.find(&order.request_id).cloned() else {
            return Err(ObjectError::Conflict);
        };
        let progress = Progress::Done;
        let note = noted(live, &record.with(Entry { progress, ..entry }));
        self.rollouts.patch(&order.rollout, &note).await
    }
}

impl RolloutOrder {
    fn name(&self) -> ResourceName {
        ResourceName {
            group: GROUP.to_owned(),
            kind: KIND.to_owned(),
            namespace: self.rollout.namespace.clone(),
            name: self.rollout.name.clone(),
            uid: None,
        }
    }

    fn explain(&self, error: ObjectError) -> RolloutError {
        match error {
            ObjectError::NotFound => SubjectError::Unknown(self.name()).into(),
            ObjectError::NoKind(_)
            | ObjectError::Invalid(_)
            | ObjectError::Exists
            | ObjectError::Conflict
            | ObjectError::Cluster(_) => RolloutError::Cluster(error),
        }
    }
}

/// Identifies an order in the annotation, so that a reused request id is detected.
fn order_digest(order: &RolloutOrder, requester: &Requester) -> String {
    let (ObjectName { namespace, name }, user) = (&order.rollout, &requester.user);
    // Names of variants and fields are part of the digest: renaming one makes a repeat after an upgrade look like another order.
    digest(&format!("{user}\0{namespace}/{name} {:?}", order.verb))
}

/// Good for exactly this state of the object.
fn version(live: &Value) -> Value {
    json!({"metadata": {"resourceVersion": live.pointer("/metadata/resourceVersion")}})
}

fn noted(live: &Value, record: &Record) -> Value {
    let note = json!({"metadata": {"annotations": {ANNOTATION: record.text()}}});
    applied(&note, &version(live))
}

fn outcome(
    order: &RolloutOrder,
    application: Option<&Application>,
    (live, progress): (&Value, Progress),
    origin: Attempt,
) -> RolloutOutcome {
    let version = live.pointer("/metadata/resourceVersion");
    let version = version.and_then(|version| version.as_str()?.parse().ok());
    RolloutOutcome {
        origin,
        resource_version: version.unwrap_or(0),
        unchanged: progress == Progress::Unchanged,
        note: note(order, application, progress),
    }
}

fn note(
    order: &RolloutOrder,
    application: Option<&Application>,
    progress: Progress,
) -> &'static str {
    let is_of_git = matches!(order.verb, Verb::Undo { .. } | Verb::SetImage { .. });
    if !is_of_git || progress == Progress::Unchanged {
        return "";
    }
    let Some(application) = application else {
        return "";
    };
    let policy = application.spec.sync_policy.as_ref();
    let automated = policy.and_then(|policy| policy.automated.as_ref());
    match automated.filter(|it| it.enabled != Some(false)) {
        Some(automated) if automated.self_heal => {
            "the application heals itself, so that Argo CD takes this back at once: change Git"
        }
        Some(_) => {
            "the application is synced by itself, so that the next commit takes this back: change Git, too"
        }
        None => "the next sync of the application takes this back: change Git, too",
    }
}
