//! Reading and deleting applications.

use std::{collections::BTreeMap, convert::Infallible, time::Duration};

use axum::{
    Json,
    body::Body,
    extract::{Path, Query, State},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{Answer, Name, Refusal, RestQuery, SharedState};
use crate::argocd::{
    application::{Application, ApplicationKey, FINALIZER, REFRESH},
    controller::application_kind,
    manifest::{items, metadata, text},
    reconcile::{Reconciler, resource_key},
};

const REFRESH_LIMIT: Duration = Duration::from_secs(30);

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Filter {
    name: String,
    app_namespace: String,
    projects: String,
    project: String,
    selector: String,
    repo: String,
}

impl Filter {
    fn takes(&self, application: &Value) -> bool {
        let is = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        let project = if self.projects.is_empty() {
            &self.project
        } else {
            &self.projects
        };
        is(&self.name, metadata(application, "name"))
            && is(&self.app_namespace, metadata(application, "namespace"))
            && is(project, text(application, "/spec/project"))
            && is(&self.repo, text(application, "/spec/source/repoURL"))
            && self
                .selector
                .split(',')
                .filter(|term| !term.is_empty())
                .all(|term| has_label(application, term))
    }
}

/// `key=value` or `key`.
fn has_label(application: &Value, term: &str) -> bool {
    let (key, wanted) = term.split_once('=').map_or((term, None), |(key, value)| {
        (key, Some(value.trim_start_matches('=')))
    });
    let label = application["metadata"]["labels"]
        .get(key.trim())
        .and_then(Value::as_str);
    label.is_some_and(|label| wanted.is_none_or(|wanted| wanted.trim() == label))
}

pub(super) async fn list(State(shared): SharedState, Query(filter): Query<Filter>) -> Answer {
    let found = shared
        .reconciler
        .applications()
        .into_iter()
        .map(|(_, value)| value);
    let items: Vec<Value> = found
        .filter(|application| filter.takes(application))
        .collect();
    let newest = items
        .iter()
        .filter_map(|item| metadata(item, "resourceVersion").parse::<u64>().ok())
        .max();
    let items = if items.is_empty() {
        Value::Null
    } else {
        Value::Array(items)
    };
    Ok(Json(
        json!({"metadata": {"resourceVersion": newest.unwrap_or(0).to_string()}, "items": items}),
    ))
}

/// With `refresh=normal|hard` the answer comes when the refresh is over.
pub(super) async fn get(
    State(shared): SharedState,
    Path(name): Name,
    Query(which): RestQuery,
) -> Answer {
    let (key, object) = shared.read(&name, &which).await?;
    let level = match which.refresh.as_deref() {
        None | Some("") => return Ok(Json(object)),
        Some(level @ ("normal" | "hard")) => level,
        Some(other) => {
            return Err(Refusal::Invalid(format!(
                "refresh must be normal or hard, not {other:?}"
            )));
        }
    };
    let mut changes = shared.reconciler.live.changes();
    let patch = json!({"metadata": {"annotations": {REFRESH: level}}});
    shared.reconciler.patch_application(&key, &patch).await?;
    let refreshed = refreshed(&shared.reconciler, &key, &mut changes);
    let slow = |_| Refusal::Slow("the refresh takes too long".to_owned());
    Ok(Json(
        timeout(REFRESH_LIMIT, refreshed).await.map_err(slow)??,
    ))
}

async fn refreshed(
    reconciler: &Reconciler,
    key: &ApplicationKey,
    changes: &mut tokio::sync::watch::Receiver<u64>,
) -> Result<Value, Refusal> {
    loop {
        let object = reconciler.application(key).ok_or(Refusal::Denied)?;
        if crate::argocd::manifest::annotation(&object, REFRESH).is_none() {
            return Ok(object);
        }
        changes
            .changed()
            .await
            .map_err(|_| Refusal::Failed("the server is going down".to_owned()))?;
    }
}

/// Cascading unless `cascade=false`: the finalizer decides, so it is set or taken away first.
pub(super) async fn delete(
    State(shared): SharedState,
    Path(name): Name,
    Query(which): RestQuery,
) -> Answer {
    let (key, object) = shared.read(&name, &which).await?;
    let cascade = which.cascade.unwrap_or(true);
    let policy = which.propagation_policy.to_lowercase();
    if !cascade && !policy.is_empty() {
        return Err(Refusal::Invalid(
            "cannot set propagation policy when cascading is disabled".to_owned(),
        ));
    }
    let wanted = match policy.as_str() {
        "" => FINALIZER.to_owned(),
        "foreground" | "background" => format!("{FINALIZER}/{policy}"),
        _ => {
            let given = &which.propagation_policy;
            return Err(Refusal::Invalid(format!(
                "invalid propagation policy: {given}"
            )));
        }
    };
    let finalizers = finalizers(object, cascade.then_some(wanted));
    if let Some(finalizers) = finalizers {
        shared
            .reconciler
            .patch_application(&key, &json!({"metadata": {"finalizers": finalizers}}))
            .await?;
    }
    let shell = json!({"apiVersion": "argoproj.io/v1alpha1", "kind": application_kind().kind});
    shared
        .reconciler
        .live
        .delete(&resource_key(&key), &shell)
        .await?;
    Ok(Json(json!({})))
}

/// The finalizers as they should be before deleting; nothing when they are, or cannot be changed any more.
fn finalizers(object: Value, wanted: Option<String>) -> Option<Vec<Value>> {
    let application = Application::parse(object).ok()?;
    let Some(wanted) = wanted.map(Value::String) else {
        return application
            .cascades()
            .then(|| application.other_finalizers());
    };
    let mut held = items(&application.object, "/metadata/finalizers").to_vec();
    if application.is_deleting() || held.contains(&wanted) {
        return None;
    }
    held.push(wanted);
    Some(held)
}

/// Lines of `{"result": {type, application}}`: all that there are, then each change.
pub(super) async fn stream(State(shared): SharedState, Query(filter): Query<Filter>) -> Response {
    let reconciler = std::sync::Arc::clone(&shared.reconciler);
    let mut changes = reconciler.live.changes();
    let lines = async_stream::stream! {
        let mut told: BTreeMap<ApplicationKey, Value> = BTreeMap::new();
        loop {
            changes.mark_unchanged();
            let now: BTreeMap<ApplicationKey, Value> =
                reconciler.applications().into_iter().filter(|(_, value)| filter.takes(value)).collect();
            for line in differences(&told, &now) {
                yield Ok::<Bytes, Infallible>(line);
            }
            told = now;
            if changes.changed().await.is_err() {
                break;
            }
        }
    };
    (
        [("content-type", "application/json")],
        Body::from_stream(lines),
    )
        .into_response()
}

fn differences(
    before: &BTreeMap<ApplicationKey, Value>,
    after: &BTreeMap<ApplicationKey, Value>,
) -> Vec<Bytes> {
    let line = |kind: &str, value: &Value| {
        Bytes::from(format!(
            "{}\n",
            json!({"result": {"type": kind, "application": value}})
        ))
    };
    let mut lines = Vec::new();
    for (key, value) in after {
        match before.get(key) {
            None => lines.push(line("ADDED", value)),
            Some(held) if held != value => lines.push(line("MODIFIED", value)),
            Some(_) => {}
        }
    }
    let gone = before.iter().filter(|(key, _)| !after.contains_key(*key));
    lines.extend(gone.map(|(_, value)| line("DELETED", value)));
    lines
}
