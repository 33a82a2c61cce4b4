//! Asking for operations and ending them.

use axum::{
    Json,
    extract::{Path, Query, State, rejection::JsonRejection},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, ApplicationQuery, Name, Refusal, RestQuery, Shared, SharedState, USER};
use crate::argocd::{
    application::{Application, Retry},
    cluster::ClusterError,
    events::{self, EventKind, Reporter},
    operation::{Info, InitiatedBy, Operation, OperationState, ResourceChoice, SyncOperation},
    origin::{Origin, texts},
    reconcile::asking,
    source::SourceError,
};

/// Attempts to write a change when other writers were faster.
const ATTEMPTS: usize = 5;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SyncRequest {
    app_namespace: String,
    project: String,
    revision: String,
    prune: bool,
    dry_run: bool,
    resources: Vec<ResourceChoice>,
    strategy: Option<Value>,
    sync_options: Option<SyncOptions>,
    infos: Vec<Info>,
    retry_strategy: Option<Retry>,
}

/// Argo CD's own clients send `{"items": [...]}`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum SyncOptions {
    Items { items: Vec<String> },
    List(Vec<String>),
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RollbackRequest {
    app_namespace: String,
    project: String,
    id: i64,
    prune: bool,
    dry_run: bool,
}

type Body<T> = Result<Json<T>, JsonRejection>;

fn body<T: Default>(body: Body<T>) -> Result<T, Refusal> {
    match body {
        Ok(Json(body)) => Ok(body),
        // a request without any body asks for the default
        Err(JsonRejection::MissingJsonContentType(_)) => Ok(T::default()),
        Err(rejection) => Err(Refusal::Invalid(rejection.body_text())),
    }
}

fn place(which: ApplicationQuery, app_namespace: String, project: String) -> ApplicationQuery {
    let either = |body: String, query: String| if body.is_empty() { query } else { body };
    ApplicationQuery {
        app_namespace: either(app_namespace, which.app_namespace),
        project: either(project, which.project),
        ..ApplicationQuery::default()
    }
}

pub(super) async fn sync(
    State(shared): SharedState,
    Path(name): Name,
    Query(which): RestQuery,
    request: Body<SyncRequest>,
) -> Answer {
    let mut request = body(request)?;
    let which = place(
        which,
        std::mem::take(&mut request.app_namespace),
        std::mem::take(&mut request.project),
    );
    let application = shared.fresh(&name, &which).await?;
    shared.reconciler.learn_project(&application).await?;
    let origin = shared.reconciler.check(&application)?;
    let source = origin.sources.first().cloned().unwrap_or_default();
    let automated = application
        .spec
        .sync_policy
        .automated
        .as_ref()
        .is_some_and(|policy| policy.enabled != Some(false));
    let target = if source.target_revision.is_empty() {
        "HEAD"
    } else {
        &source.target_revision
    };
    let other = !request.revision.is_empty() && request.revision != target;
    if automated && other && !request.dry_run {
        let wanted = &request.revision;
        return Err(Refusal::Precondition(format!(
            "Cannot sync to {wanted}: auto-sync currently set to {target}"
        )));
    }
    let mut asked = origin.target_revisions();
    if !request.revision.is_empty() && !origin.is_several() {
        asked = vec![request.revision.clone()];
    }
    let unresolved = |(_, error): (usize, SourceError)| {
        Refusal::Precondition(format!(
            "error resolving repo revision: rpc error: code = Unknown desc = {error}"
        ))
    };
    let commits = shared.reconciler.resolve(&origin, &asked).await;
    let commits = texts(&commits.map_err(unresolved)?);
    let named = asked.iter().zip(&commits);
    let named: Vec<String> = named
        .map(|(asked, commit)| format!("{asked} ({commit})"))
        .collect();
    let what = if request.resources.is_empty() {
        "sync"
    } else {
        "partial sync"
    };
    let started = format!("{USER} initiated {what} to {}", named.join(", "));
    let operation = sync_operation(request, &application, &origin, &commits);
    shared.ask(&name, &which, &operation, started).await
}

fn sync_operation(
    request: SyncRequest,
    application: &Application,
    origin: &Origin,
    commits: &[String],
) -> Operation {
    let (revision, revisions) = origin.one_or_several(commits);
    let options = match request.sync_options {
        Some(SyncOptions::Items { items } | SyncOptions::List(items)) => items,
        None => application.spec.sync_policy.sync_options.clone(),
    };
    let sync = SyncOperation {
        dry_run: request.dry_run,
        prune: request.prune,
        resources: request.resources,
        revision,
        revisions,
        source: (!origin.is_several()).then(|| origin.written.source.clone()),
        sources: origin.written.sources.clone(),
        sync_options: options,
        sync_strategy: request.strategy,
        ..SyncOperation::default()
    };
    let retry = request
        .retry_strategy
        .or_else(|| application.spec.sync_policy.retry.clone());
    operation(sync, request.infos, retry.unwrap_or_default())
}

fn operation(sync: SyncOperation, info: Vec<Info>, retry: Retry) -> Operation {
    let initiated_by = InitiatedBy {
        automated: false,
        username: USER.to_owned(),
    };
    Operation {
        info,
        initiated_by,
        retry,
        sync: Some(sync),
    }
}

pub(super) async fn rollback(
    State(shared): SharedState,
    Path(name): Name,
    Query(which): RestQuery,
    request: Body<RollbackRequest>,
) -> Answer {
    let mut request = body(request)?;
    let which = place(
        which,
        std::mem::take(&mut request.app_namespace),
        std::mem::take(&mut request.project),
    );
    let application = shared.fresh(&name, &which).await?;
    let automated = application
        .spec
        .sync_policy
        .automated
        .as_ref()
        .is_some_and(|policy| policy.enabled != Some(false));
    if automated {
        return Err(Refusal::Precondition(
            "rollback cannot be initiated when auto-sync is enabled".to_owned(),
        ));
    }
    let unknown = || {
        Refusal::Invalid(format!(
            "application {} does not have deployment with id {}",
            application.key, request.id
        ))
    };
    let entry = application
        .status
        .history
        .iter()
        .find(|entry| entry.id == request.id)
        .ok_or_else(unknown)?;
    let sync = SyncOperation {
        dry_run: request.dry_run,
        prune: request.prune,
        revision: entry.revision.clone(),
        revisions: entry.revisions.clone(),
        source: entry
            .written
            .sources
            .is_empty()
            .then(|| entry.written.source.clone()),
        sources: entry.written.sources.clone(),
        sync_options: application.spec.sync_policy.sync_options.clone(),
        sync_strategy: Some(json!({"apply": {}})),
        ..SyncOperation::default()
    };
    let started = format!("{USER} initiated rollback to {}", request.id);
    let operation = operation(sync, Vec::new(), Retry::default());
    shared.ask(&name, &which, &operation, started).await
}

pub(super) async fn terminate(
    State(shared): SharedState,
    Path(name): Name,
    Query(which): RestQuery,
) -> Answer {
    for _ in 0..ATTEMPTS {
        let application = shared.fresh(&name, &which).await?;
        let running = application
            .status
            .operation_state
            .as_ref()
            .is_some_and(OperationState::is_running);
        if application.operation.is_none() || !running {
            return Err(Refusal::Invalid(
                "Unable to terminate operation. No operation is in progress".to_owned(),
            ));
        }
        let patch = json!({"status": {"operationState": {"phase": "Terminating"}}});
        if shared.change(&application, patch).await?.is_some() {
            return Ok(Json(json!({})));
        }
    }
    Err(too_busy())
}

fn too_busy() -> Refusal {
    Refusal::Failed("the application changes too fast: try again".to_owned())
}

impl Shared {
    /// Puts an operation into the application, unless there is one.
    async fn ask(
        &self,
        name: &str,
        which: &ApplicationQuery,
        operation: &Operation,
        started: String,
    ) -> Answer {
        for _ in 0..ATTEMPTS {
            let application = self.fresh(name, which).await?;
            if application.is_deleting() {
                return Err(Refusal::Precondition("application is deleting".to_owned()));
            }
            if application.operation.is_some() {
                return Err(Refusal::Precondition(
                    "another operation is already in progress".to_owned(),
                ));
            }
            let patch = asking(&application, operation);
            if let Some(changed) = self.change(&application, patch).await? {
                let client = self.reconciler.live.client();
                let started = EventKind::OperationStarted(started);
                events::report(client, &application, Reporter::Server(USER), &started).await;
                return Ok(Json(changed));
            }
        }
        Err(too_busy())
    }

    async fn fresh(&self, name: &str, which: &ApplicationQuery) -> Result<Application, Refusal> {
        let (_, object) = self.read(name, which).await?;
        Ok(Application::parse(object)?)
    }

    /// Patches the version that was read; returns nothing when another writer was faster.
    async fn change(
        &self,
        application: &Application,
        mut patch: Value,
    ) -> Result<Option<Value>, Refusal> {
        patch["metadata"] =
            json!({"resourceVersion": application.object["metadata"]["resourceVersion"]});
        match self
            .reconciler
            .patch_application(&application.key, &patch)
            .await
        {
            Ok(changed) => Ok(Some(changed)),
            Err(ClusterError::Refused { code: 409, .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
