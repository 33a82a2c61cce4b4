//! Brings one source to its plan. Every step is idempotent and starts from what the cluster holds, so that it can be cut anywhere.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use causeway_argocd::Cluster;
use causeway_git_source::{
    Kind, Object, Plan, Spec, application_project, content::escapes, is_owned_by,
    surroundings::Surroundings, text,
};
use jiff::Timestamp;
use serde_json::Value;

use crate::{
    drift::{changed_fields, describe, has_surplus, is_settled},
    kube::{ObjectError, ObjectKind, Objects, seconds},
    status::{Outcome, condition_of, is_available, status_after},
};

/// Keeps the source until its objects are gone.
pub(crate) const FINALIZER: &str = "causeway.dev/gitops-operator";
/// An available source is looked at again after this time, without a change.
const SETTLED: Duration = Duration::from_secs(300);
/// One that waits for something.
const UNSETTLED: Duration = Duration::from_secs(20);
const FIRST_BACKOFF: Duration = Duration::from_secs(1);
const LONGEST_BACKOFF: Duration = Duration::from_secs(300);
/// Doublings of the backoff that stay below the longest one.
const MOST_DOUBLINGS: u32 = 9;

/// Reconciles sources of one Argo CD.
pub struct Operator {
    pub(crate) objects: Objects,
    /// Namespace of Argo CD.
    pub(crate) namespace: String,
    /// Consecutive failures of each source that exists.
    failures: Mutex<HashMap<(Kind, String), u32>>,
}

impl Operator {
    #[must_use]
    pub fn new(cluster: Cluster, namespace: String) -> Self {
        Self {
            objects: Objects::new(cluster),
            namespace,
            failures: Mutex::default(),
        }
    }

    /// Reconciles a source and returns when to look again; none once it is gone.
    pub(crate) async fn reconcile(
        &self,
        kind: Kind,
        name: &str,
    ) -> Result<Option<Duration>, ObjectError> {
        let source = ObjectKind::Source(kind);
        let Some(live) = self.objects.get(source, &self.namespace, name).await? else {
            self.forget(kind, name);
            return Ok(None);
        };
        let object = Object::read(kind, &live);
        let result = if object.is_deleting {
            self.remove(&object, &live).await
        } else {
            self.bring(&object, &live).await
        };
        match result {
            Ok(outcome) => {
                self.forget(kind, name);
                let Some(outcome) = outcome else {
                    return Ok(None);
                };
                let status = self.report(&object, &outcome).await?;
                let is_settled = is_available(&status);
                Ok(Some(if is_settled { SETTLED } else { UNSETTLED }))
            }
            Err(error) => {
                if let ObjectError::Refused { .. } | ObjectError::Cluster(_) = &error {
                    let failed = Outcome::Failed(error.to_string());
                    // The same cluster may not take this either; the error itself is returned.
                    let _ = self.report(&object, &failed).await;
                }
                Err(error)
            }
        }
    }

    /// Counts a failure and returns how long to wait.
    pub(crate) fn next_backoff(&self, kind: Kind, name: &str) -> Duration {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let count = failures.entry((kind, name.to_owned())).or_default();
        let wait = FIRST_BACKOFF * 2_u32.pow((*count).min(MOST_DOUBLINGS));
        *count = count.saturating_add(1);
        wait.min(LONGEST_BACKOFF)
    }

    fn forget(&self, kind: Kind, name: &str) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.remove(&(kind, name.to_owned()));
    }

    async fn bring(&self, object: &Object, live: &Value) -> Result<Option<Outcome>, ObjectError> {
        let spec = match &object.spec {
            Ok(spec) => spec,
            Err(refusal) => return Ok(Some(Outcome::Refused(refusal.clone()))),
        };
        let surroundings = self.surroundings(object, spec).await?;
        let checked = spec
            .check(&object.name, &self.namespace)
            .and_then(|()| surroundings.check(object, spec));
        if let Err(refusal) = checked {
            return Ok(Some(Outcome::Refused(refusal)));
        }
        self.hold(object, live).await?;
        // The namespace is recorded before anything is created in it, so that a later rename is noticed.
        if object.accepted_namespace() != spec.source_namespace {
            self.report(object, &Outcome::Accepted).await?;
        }
        let application = self.apply(object, spec, &surroundings).await?;
        let children = self.children(&spec.source_namespace).await?;
        let escapes = escapes(object, spec, &application, &children);
        Ok(Some(Outcome::Applied {
            application,
            children,
            escapes,
        }))
    }

    async fn surroundings(
        &self,
        object: &Object,
        spec: &Spec,
    ) -> Result<Surroundings, ObjectError> {
        let namespace = &self.namespace;
        let mut sources = Vec::new();
        for kind in Kind::ALL {
            let listed = self
                .objects
                .list(ObjectKind::Source(kind), namespace)
                .await?;
            sources.extend(listed.iter().map(|it| Object::read(kind, it)));
        }
        let before = object.accepted_namespace();
        let left_behind = match before {
            "" => 0,
            before if before == spec.source_namespace => 0,
            before => self.applications_of(object, before).await?.len(),
        };
        Ok(Surroundings {
            projects: self.objects.list(ObjectKind::Project, namespace).await?,
            application: self
                .objects
                .get(ObjectKind::Application, namespace, &object.name)
                .await?,
            sources,
            left_behind,
        })
    }

    /// Names of the Applications of a namespace that use the source's project.
    pub(crate) async fn applications_of(
        &self,
        object: &Object,
        namespace: &str,
    ) -> Result<Vec<String>, ObjectError> {
        let project = application_project(&object.name);
        let listed = self
            .objects
            .list(ObjectKind::Application, namespace)
            .await?;
        let uses = |it: &&Value| text(it, "/spec/project") == project;
        let names = listed.iter().filter(uses);
        Ok(names
            .map(|it| text(it, "/metadata/name").to_owned())
            .collect())
    }

    async fn children(&self, namespace: &str) -> Result<Vec<Value>, ObjectError> {
        let mut children = Vec::new();
        for kind in [ObjectKind::Application, ObjectKind::ApplicationSet] {
            children.extend(self.objects.list(kind, namespace).await?);
        }
        Ok(children)
    }

    /// Holds the source until its objects are gone.
    async fn hold(&self, object: &Object, live: &Value) -> Result<(), ObjectError> {
        if object.finalizers.iter().any(|it| it == FINALIZER) {
            return Ok(());
        }
        let mut finalizers = object.finalizers.clone();
        finalizers.push(FINALIZER.to_owned());
        let kind = ObjectKind::Source(object.kind);
        let held = self.objects.set_finalizers(kind, live, &finalizers).await;
        held.map(drop)
    }

    /// Applies the plan and returns the Application.
    async fn apply(
        &self,
        object: &Object,
        spec: &Spec,
        surroundings: &Surroundings,
    ) -> Result<Value, ObjectError> {
        let plan = Plan::of(object, spec);
        let projects = [&plan.source_project, &plan.application_project];
        let mut corrected = Vec::new();
        for planned in projects {
            let name = text(planned, "/metadata/name");
            let named = |it: &&Value| text(it, "/metadata/name") == name;
            let live = surroundings.projects.iter().find(named);
            let kind = ObjectKind::Project;
            self.ensure(kind, live, planned, &mut corrected).await?;
        }
        let live = surroundings.application.as_ref();
        let kind = ObjectKind::Application;
        let application = self
            .ensure(kind, live, &plan.application, &mut corrected)
            .await?;
        // A change of the spec is no drift.
        let observed = object.status["observedGeneration"].as_i64();
        if !corrected.is_empty() && observed == Some(object.generation) {
            let message = format!("put right: {}", corrected.join("; "));
            tracing::info!(source = object.name, %message, "drift corrected");
            self.objects
                .record_event(object, ("DriftCorrected", &message), "Normal")
                .await;
        }
        Ok(application)
    }

    /// Creates an object, or puts it right. One of another owner is never touched: [`Surroundings::check`] saw it, and a
    /// creation fails if it appeared since.
    async fn ensure(
        &self,
        kind: ObjectKind,
        live: Option<&Value>,
        planned: &Value,
        corrected: &mut Vec<String>,
    ) -> Result<Value, ObjectError> {
        let Some(live) = live else {
            return self.objects.create(kind, planned).await;
        };
        let is_deleting = live.pointer("/metadata/deletionTimestamp").is_some();
        if is_deleting || is_settled(live, planned) {
            return Ok(live.clone());
        }
        let mut after = self.objects.apply(kind, planned).await?;
        if has_surplus(&after["spec"], &planned["spec"]) {
            after = self
                .objects
                .replace_spec(kind, &after, &planned["spec"])
                .await?;
        }
        let fields = changed_fields(live, &after);
        if !fields.is_empty() {
            corrected.push(describe(&after, &fields));
        }
        Ok(after)
    }

    /// Writes the status if it changed, with an event for a new refusal.
    async fn report(&self, object: &Object, outcome: &Outcome) -> Result<Value, ObjectError> {
        let now = Timestamp::now();
        let status = status_after(object, outcome, (now, &seconds(now)));
        if status == object.status {
            return Ok(status);
        }
        self.objects.set_status(object, &status).await?;
        let refused = |status: &Value| {
            let of = |field| condition_of(status, "Refused", field).to_owned();
            (of("/status") == "True").then(|| (of("/reason"), of("/message")))
        };
        if let Some((reason, message)) = refused(&status)
            && refused(&object.status).is_none_or(|(before, _)| before != reason)
        {
            self.objects
                .record_event(object, (&reason, &message), "Warning")
                .await;
        }
        Ok(status)
    }

    /// The object if it belongs to this source.
    pub(crate) async fn owned(
        &self,
        kind: ObjectKind,
        object: &Object,
        name: &str,
    ) -> Result<Option<Value>, ObjectError> {
        let found = self.objects.get(kind, &self.namespace, name).await?;
        Ok(found.filter(|it| is_owned_by(it, &object.uid)))
    }
}
