//! One look at one application: refresh its status, start an automated sync, carry an operation on, or clean up.
//!
//! The order of writes is Argo CD's: the operation is asked for, the refreshed status follows, then the operation
//! runs to its end, and another refresh tells what came of it.

mod operate;
mod remove;
mod target;

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::{
    application::{Application, ApplicationKey, REFRESH, Source, SpecError},
    automation::{Automation, decide},
    cluster::ClusterError,
    compare::{Comparison, compare},
    controller::application_kind,
    live::Live,
    manifest::ResourceKey,
    operation::OperationState,
    predict::merge_patch,
    queue::Reason,
    source::{SourceError, Sources},
    status::Status,
};
use crate::git::CommitId;

/// A look that leads to another is repeated at once, but not without end.
const ROUNDS: usize = 6;

/// Does the looking. Shared by the controller and the REST API.
pub(crate) struct Reconciler {
    pub(crate) live: Live,
    pub(crate) sources: Sources,
    pub(crate) namespace: String,
    /// the commit that each application was last compared with, and for which source
    pub(crate) seen: Mutex<HashMap<ApplicationKey, (Source, CommitId)>>,
}

/// What a round of looking led to.
enum Next {
    Rest,
    /// the application changed under our own hands: look again
    Again(Reason),
    After(Duration),
}

impl Reconciler {
    /// Looks at an application; gives when to look again although nothing changes.
    pub(crate) async fn reconcile(
        &self,
        key: &ApplicationKey,
        reason: Reason,
    ) -> Result<Option<Duration>, ClusterError> {
        let mut reason = reason;
        for _ in 0..ROUNDS {
            let Some(object) = self.application(key) else {
                self.forget(key);
                return Ok(None);
            };
            match self.round(object, reason).await? {
                Next::Rest => return Ok(None),
                Next::After(wait) => return Ok(Some(wait)),
                Next::Again(stronger) => reason = stronger,
            }
        }
        Ok(Some(Duration::from_secs(1)))
    }

    async fn round(&self, object: Value, reason: Reason) -> Result<Next, ClusterError> {
        let application = match Application::parse(object.clone()) {
            Ok(application) => application,
            Err(error) => return self.quarantine(object, &error).await,
        };
        if application.is_deleting() {
            return self.remove(&application).await;
        }
        let known = !application.status.reconciled_at.is_empty();
        if application.operation.is_some() && known && application.refresh.is_none() {
            return self.operate(&application).await;
        }
        self.refresh(&application, reason).await
    }

    async fn refresh(
        &self,
        application: &Application,
        reason: Reason,
    ) -> Result<Next, ClusterError> {
        let now = Timestamp::now();
        let mut comparison = self.compare(application, reason).await?;
        let decision = decide(application, &comparison, now);
        let mut current = application.clone();
        match &decision {
            Automation::Nothing | Automation::Later(_) => {}
            Automation::Refuse(message) => {
                comparison.conditions.push(("SyncError", message.clone()))
            }
            Automation::Start(operation) => {
                let state = OperationState::asked(operation, now);
                let patch = json!({"operation": operation, "status": {"operationState": reset(&application.status, &state)}});
                current = self.write(application, &patch).await?;
            }
        }
        let status = current
            .status
            .refreshed(&current, &comparison, &self.namespace, now);
        let asked = application.refresh.is_some() || reason == Reason::Latest;
        if asked || status.differs_from(&current.status) {
            let mut patch = json!({"status": status_patch(&current, &status)});
            if application.refresh.is_some() {
                patch["metadata"] = json!({"annotations": {REFRESH: null}});
            }
            current = self.write(&current, &patch).await?;
        }
        Ok(match decision {
            Automation::Later(at) => Next::After(until(at, now)),
            Automation::Nothing | Automation::Refuse(_) | Automation::Start(_)
                if current.operation.is_some() =>
            {
                Next::Again(Reason::Changed)
            }
            Automation::Nothing | Automation::Refuse(_) | Automation::Start(_) => Next::Rest,
        })
    }

    /// How the application stands; errors of its source and spec are part of the answer.
    pub(crate) async fn compare(
        &self,
        application: &Application,
        reason: Reason,
    ) -> Result<Comparison, ClusterError> {
        let source = application
            .check_destination()
            .and_then(|()| self.check_project(application))
            .and_then(|()| application.source());
        let source = match source {
            Ok((source, _)) => source,
            Err(error) => return self.invalid(application, &error).await,
        };
        let commit = match self.commit(application, source, reason).await {
            Ok(commit) => commit,
            Err(error) => return self.no_target(application, &error).await,
        };
        self.compare_with(application, source, &commit).await
    }

    fn check_project(&self, application: &Application) -> Result<(), SpecError> {
        let name = Some(application.spec.project.as_str()).filter(|name| !name.is_empty());
        let key = ResourceKey {
            group: "argoproj.io".to_owned(),
            kind: "AppProject".to_owned(),
            namespace: self.namespace.clone(),
            name: name.unwrap_or("default").to_owned(),
        };
        let found = self.live.get(&key).map(drop);
        found.ok_or(SpecError::NoProject(key.name))
    }

    async fn commit(
        &self,
        application: &Application,
        source: &Source,
        reason: Reason,
    ) -> Result<CommitId, SourceError> {
        let fresh = reason == Reason::Latest || application.refresh.is_some();
        let held = self
            .seen()
            .get(&application.key)
            .filter(|(before, _)| before == source && !fresh)
            .cloned();
        if let Some((_, commit)) = held {
            return Ok(commit);
        }
        let commit = self
            .sources
            .resolve(source, &source.target_revision)
            .await?;
        self.seen()
            .insert(application.key.clone(), (source.clone(), commit.clone()));
        Ok(commit)
    }

    pub(crate) async fn compare_with(
        &self,
        application: &Application,
        source: &Source,
        commit: &CommitId,
    ) -> Result<Comparison, ClusterError> {
        let objects = match self.sources.objects(source, commit).await {
            Ok(objects) => objects,
            Err(error) => return self.no_target(application, &error).await,
        };
        let targets = self.targets(application, &objects).await?;
        let live = self.live_of(application, &targets).await?;
        Ok(compare(application, commit.as_str(), targets, live))
    }

    /// A spec that makes no sense is told in the status; nothing else is done about it.
    async fn quarantine(&self, object: Value, error: &SpecError) -> Result<Next, ClusterError> {
        let shell = json!({"metadata": object["metadata"], "status": object["status"], "spec": {}});
        let Ok(application) = Application::parse(shell) else {
            return Ok(Next::Rest);
        };
        if application.is_deleting() {
            return self.remove(&application).await;
        }
        let comparison = self.invalid(&application, error).await?;
        let status = application.status.refreshed(
            &application,
            &comparison,
            &self.namespace,
            Timestamp::now(),
        );
        if status.differs_from(&application.status) {
            let patch = json!({"status": status_patch(&application, &status), "metadata": {"annotations": {REFRESH: null}}});
            self.patch_application(&application.key, &patch).await?;
        }
        Ok(Next::Rest)
    }

    pub(crate) async fn write(
        &self,
        application: &Application,
        patch: &Value,
    ) -> Result<Application, ClusterError> {
        let object = self.patch_application(&application.key, patch).await?;
        Application::parse(object).map_err(|error| ClusterError::Refused {
            code: 422,
            message: error.to_string(),
        })
    }

    /// A JSON merge patch of the Application object.
    pub(crate) async fn patch_application(
        &self,
        key: &ApplicationKey,
        patch: &Value,
    ) -> Result<Value, ClusterError> {
        let served = self.live.served(&application_kind()).await?;
        let served = served.ok_or(ClusterError::NotListed {
            kind: "Application".to_owned(),
        })?;
        let object = self.live.patch(&served, &resource_key(key), patch).await?;
        self.live.put(object.clone());
        Ok(object)
    }

    /// Reads an application from the API server.
    pub(crate) async fn reread(&self, key: &ApplicationKey) -> Result<Value, ClusterError> {
        let served = self.live.served(&application_kind()).await?;
        let served = served.ok_or(ClusterError::NotListed {
            kind: "Application".to_owned(),
        })?;
        self.live.reread(&served, &resource_key(key)).await
    }

    pub(crate) fn application(&self, key: &ApplicationKey) -> Option<Value> {
        self.live.get(&resource_key(key))
    }

    /// All applications of the cluster, by namespace and name.
    pub(crate) fn applications(&self) -> Vec<(ApplicationKey, Value)> {
        let found = self
            .live
            .select(|key, _| key.kind == "Application" && key.group == "argoproj.io");
        found
            .into_values()
            .map(|value| (ApplicationKey::of(&value), value))
            .collect()
    }

    fn forget(&self, key: &ApplicationKey) {
        self.seen().remove(key);
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, HashMap<ApplicationKey, (Source, CommitId)>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn resource_key(key: &ApplicationKey) -> ResourceKey {
    ResourceKey {
        group: "argoproj.io".to_owned(),
        kind: "Application".to_owned(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
    }
}

/// The merge patch from the status that is there to the refreshed one; operation and history are not touched.
fn status_patch(application: &Application, status: &Status) -> Value {
    let without = |status: &Value| {
        let mut fields = status.as_object().cloned().unwrap_or_default();
        fields.remove("operationState");
        fields.remove("history");
        Value::Object(fields)
    };
    let before = application
        .object
        .get("status")
        .cloned()
        .unwrap_or_else(|| Value::Object(Map::new()));
    let after = serde_json::to_value(status).expect("a status is plain data");
    merge_patch(&without(&before), &without(&after))
}

/// A new operation state in place of the old one, of which nothing may stay.
fn reset(status: &Status, state: &OperationState) -> Value {
    let to_value = |state: &OperationState| {
        serde_json::to_value(state).expect("an operation state is plain data")
    };
    let before = status
        .operation_state
        .as_ref()
        .map_or_else(|| Value::Object(Map::new()), to_value);
    merge_patch(&before, &to_value(state))
}

fn until(at: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(at.duration_since(now)).unwrap_or_default()
}
