//! Reconciles one application: refreshes its status, starts an automated sync, continues an operation, or cleans up.
//!
//! The order of writes is Argo CD's: the operation is asked for, the refreshed status follows, then the operation
//! runs to its end, and another refresh tells what came of it.

mod operate;
mod patch;
mod permission;
mod remove;
mod target;

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use serde_json::{Value, json};

pub(crate) use self::patch::asking;
use self::patch::{reset, status_patch};

use super::{
    application::{Application, ApplicationKey, REFRESH, SKIP, Source, SpecError},
    automation::{Automation, decide},
    cluster::ClusterError,
    compare::{Comparison, Found, compare},
    controller::application_kind,
    events::{self, EventKind, Reporter},
    live::Live,
    manifest::{ResourceKey, annotation},
    origin::{Origin, revisions, texts},
    queue::Reason,
    render::SOURCE_TYPE,
    source::{SourceError, Sources},
    status::Status,
};
use crate::git::CommitId;

/// A look that leads to another is repeated at once, but not without end.
const ROUNDS: usize = 6;

/// Reconciles applications. Shared by the controller and the REST API.
pub(crate) struct Reconciler {
    pub(crate) live: Live,
    pub(crate) sources: Sources,
    pub(crate) namespace: String,
    /// the commits that each application was last compared with, and for which sources
    pub(crate) seen: Mutex<Seen>,
}

type Seen = HashMap<ApplicationKey, (Vec<Source>, Vec<CommitId>)>;

/// Result of one round of reconciliation.
enum RoundResult {
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
                RoundResult::Rest => return Ok(None),
                RoundResult::After(wait) => return Ok(Some(wait)),
                RoundResult::Again(stronger) => reason = stronger,
            }
        }
        Ok(Some(Duration::from_secs(1)))
    }

    async fn round(&self, object: Value, reason: Reason) -> Result<RoundResult, ClusterError> {
        if annotation(&object, SKIP) == Some("true") {
            return Ok(RoundResult::Rest);
        }
        let application = match Application::parse(object.clone()) {
            Ok(application) => application,
            Err(error) => return self.quarantine(object, &error).await,
        };
        if application.is_deleting() {
            return self.remove(&application).await;
        }
        self.learn_project(&application).await?;
        let known = !application.status.reconciled_at.is_empty();
        if application.operation.is_some() && known && application.refresh.is_none() {
            let next = self.operate(&application).await?;
            if !matches!(next, RoundResult::Again(_)) {
                self.look_meanwhile(&application.key).await?;
            }
            return Ok(next);
        }
        self.refresh(&application, reason).await
    }

    /// An operation that waits does not keep the status from being true.
    async fn look_meanwhile(&self, key: &ApplicationKey) -> Result<(), ClusterError> {
        let application = self.application(key).map(Application::parse);
        if let Some(Ok(application)) = application {
            self.refresh(&application, Reason::Changed).await?;
        }
        Ok(())
    }

    async fn refresh(
        &self,
        application: &Application,
        reason: Reason,
    ) -> Result<RoundResult, ClusterError> {
        let now = Timestamp::now();
        let origin = match self.check(application) {
            Ok(sound) => sound,
            Err(error) => return self.report_invalid(application, &error, now).await,
        };
        let mut comparison = self.compare_origin(application, &origin, reason).await?;
        let decision = decide(application, &comparison, now);
        let mut current = application.clone();
        match &decision {
            Automation::Nothing | Automation::Later(_) => {}
            Automation::Refuse(message) => {
                comparison.conditions.push(("SyncError", message.clone()))
            }
            Automation::Start(operation) => {
                current = self
                    .write(application, &asking(application, operation))
                    .await?;
                let wanted = revisions(&comparison.revision, &comparison.revisions).join(", ");
                let started =
                    EventKind::OperationStarted(format!("Initiated automated sync to '{wanted}'"));
                self.report(&current, &started).await;
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
            self.report_changes(&current, &status).await;
            current = self.write(&current, &patch).await?;
        }
        Ok(match decision {
            Automation::Later(at) => RoundResult::After(until(at, now)),
            Automation::Nothing | Automation::Refuse(_) | Automation::Start(_)
                if current.operation.is_some() =>
            {
                RoundResult::Again(Reason::Changed)
            }
            Automation::Nothing | Automation::Refuse(_) | Automation::Start(_) => RoundResult::Rest,
        })
    }

    /// Compares the application; source errors become part of the result.
    pub(crate) async fn compare(
        &self,
        application: &Application,
        reason: Reason,
    ) -> Result<Comparison, ClusterError> {
        self.learn_project(application).await?;
        match self.check(application) {
            Ok(origin) => self.compare_origin(application, &origin, reason).await,
            Err(error) => self.invalid(application, &error).await,
        }
    }

    async fn compare_origin(
        &self,
        application: &Application,
        origin: &Origin,
        reason: Reason,
    ) -> Result<Comparison, ClusterError> {
        match self.commits(application, origin, reason).await {
            Ok(commits) => self.compare_with(application, origin, &commits).await,
            Err((number, error)) => self.no_target(application, number, &error).await,
        }
    }

    /// The commit of each source; an error comes with the number of its source.
    async fn commits(
        &self,
        application: &Application,
        origin: &Origin,
        reason: Reason,
    ) -> Result<Vec<CommitId>, (usize, SourceError)> {
        let fresh = reason == Reason::Latest || application.refresh.is_some();
        let held = self
            .seen()
            .get(&application.key)
            .filter(|(before, _)| *before == origin.sources && !fresh)
            .cloned();
        if let Some((_, commits)) = held {
            return Ok(commits);
        }
        let commits = self.resolve(origin, &origin.target_revisions()).await?;
        self.seen().insert(
            application.key.clone(),
            (origin.sources.clone(), commits.clone()),
        );
        Ok(commits)
    }

    /// The commits of these revisions, one for each source.
    pub(crate) async fn resolve(
        &self,
        origin: &Origin,
        revisions: &[String],
    ) -> Result<Vec<CommitId>, (usize, SourceError)> {
        let mut commits = Vec::with_capacity(origin.sources.len());
        for (index, source) in origin.sources.iter().enumerate() {
            let revision = revisions.get(index).map_or("", String::as_str);
            let commit = self.sources.resolve(source, revision).await;
            commits.push(commit.map_err(|error| (index + 1, error))?);
        }
        Ok(commits)
    }

    pub(crate) async fn compare_with(
        &self,
        application: &Application,
        origin: &Origin,
        commits: &[CommitId],
    ) -> Result<Comparison, ClusterError> {
        let mut objects = Vec::new();
        for (index, (source, commit)) in origin.sources.iter().zip(commits).enumerate() {
            match self.sources.objects(source, commit).await {
                Ok(rendered) => objects.extend_from_slice(&rendered),
                Err(error) => return self.no_target(application, index + 1, &error).await,
            }
        }
        let types = vec![SOURCE_TYPE.to_owned(); commits.len()];
        let (revision, revisions) = origin.one_or_several(&texts(commits));
        let (source_type, source_types) = origin.one_or_several(&types);
        let found = Found {
            revision,
            revisions,
            source_type,
            source_types,
        };
        let targets = self.targets(application, &objects).await?;
        let live = self.live_of(application, &targets).await?;
        let mut comparison = compare(application, found, targets, live);
        comparison.images = self.images(&comparison);
        Ok(comparison)
    }

    /// Reports an invalid spec in the status and does nothing else.
    async fn quarantine(
        &self,
        object: Value,
        error: &SpecError,
    ) -> Result<RoundResult, ClusterError> {
        let shell = json!({"metadata": object["metadata"], "status": object["status"], "spec": {}});
        let Ok(application) = Application::parse(shell) else {
            return Ok(RoundResult::Rest);
        };
        if application.is_deleting() {
            return self.remove(&application).await;
        }
        self.report_invalid(&application, error, Timestamp::now())
            .await
    }

    async fn report_invalid(
        &self,
        application: &Application,
        error: &SpecError,
        now: Timestamp,
    ) -> Result<RoundResult, ClusterError> {
        let status = application.status.invalid(&error.to_string(), now);
        if application.refresh.is_some() || status.differs_from(&application.status) {
            let told = json!({
                "conditions": status.conditions,
                "health": status.health,
                "sync": {"status": status.sync.status},
            });
            let patch = json!({"status": told, "metadata": {"annotations": {REFRESH: null}}});
            self.report_changes(application, &status).await;
            self.patch_application(&application.key, &patch).await?;
        }
        Ok(RoundResult::Rest)
    }

    async fn report_changes(&self, application: &Application, status: &Status) {
        let before = &application.object["status"];
        let after = serde_json::to_value(status).expect("a status is plain data");
        for change in events::changes(before, &after) {
            self.report(application, &change).await;
        }
    }

    pub(crate) async fn report(&self, application: &Application, event: &EventKind) {
        let client = self.live.client();
        events::report(client, application, Reporter::Controller, event).await;
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

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
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

fn until(at: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(at.duration_since(now)).unwrap_or_default()
}
