//! Resource tree, managed resources, manifests and commits of an application.

use axum::{
    Json,
    extract::{Path, Query, State},
};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Answer, Name, Refusal, RestQuery, SharedState, secret::Secret};
use crate::argocd::{
    compare::{Comparison, ResourceComparison},
    manifest::{LAST_APPLIED, TRACKING, annotation, key_of, remove_annotation, set_annotation},
    queue::Reason,
    render::SOURCE_TYPE,
    status::stamp,
    tree::tree as resource_tree,
};

/// An error of the source or the spec, as a refusal.
fn sound(comparison: Comparison) -> Result<Comparison, Refusal> {
    let broken = comparison
        .conditions
        .iter()
        .find(|(kind, _)| matches!(*kind, "ComparisonError" | "InvalidSpecError"));
    match broken {
        Some((_, message)) => Err(Refusal::Failed(message.clone())),
        None => Ok(comparison),
    }
}

pub(super) async fn tree(
    State(shared): SharedState,
    Path(name): Name,
    Query(which): RestQuery,
) -> Answer {
    let application = shared.known(&name, &which).await?;
    let comparison = shared
        .reconciler
        .compare(&application, Reason::Changed)
        .await?;
    let roots = shared.reconciler.tracked(&application.key);
    let wanted = comparison
        .resources
        .iter()
        .filter_map(|one| Some((one.key.clone(), one.live.clone()?)));
    let live = shared
        .reconciler
        .live
        .with_descendants(roots.into_iter().chain(wanted).collect());
    Ok(Json(resource_tree(&comparison.resources, &live)))
}

pub(super) async fn managed(
    State(shared): SharedState,
    Path(name): Name,
    Query(which): RestQuery,
) -> Answer {
    let application = shared.known(&name, &which).await?;
    let comparison = sound(
        shared
            .reconciler
            .compare(&application, Reason::Changed)
            .await?,
    )?;
    let items: Vec<Value> = comparison.resources.iter().map(item).collect();
    Ok(Json(json!({"items": items})))
}

/// One resource with its states as JSON texts, without the values of Secrets.
fn item(one: &ResourceComparison) -> Value {
    let mut states = [
        one.target.clone(),
        one.live.clone(),
        one.live.clone().map(normalized),
        one.predicted.clone().map(normalized),
    ];
    if one.key.kind == "Secret" && one.key.group.is_empty() {
        let mut secret = Secret::default();
        states
            .iter_mut()
            .flatten()
            .for_each(|state| secret.hide(state));
    }
    let text = |state: &Option<Value>| {
        state
            .as_ref()
            .map_or_else(|| "null".to_owned(), Value::to_string)
    };
    let [target, live, normalized, predicted] = &states;
    json!({
        "group": one.key.group,
        "kind": one.key.kind,
        "namespace": one.key.namespace,
        "name": one.key.name,
        "targetState": text(target),
        "liveState": text(live),
        "normalizedLiveState": text(normalized),
        "predictedLiveState": text(predicted),
        "resourceVersion": one.live.as_ref().map_or("", |live| crate::argocd::manifest::metadata(live, "resourceVersion")),
        "modified": normalized != predicted,
    })
}

/// Without what only the tools write for themselves.
fn normalized(mut live: Value) -> Value {
    remove_annotation(&mut live, LAST_APPLIED);
    if let Some(metadata) = live.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    live
}

/// The rendered manifests of a revision, the application's own unless another is named.
pub(super) async fn manifests(
    State(shared): SharedState,
    Path(name): Name,
    Query(which): RestQuery,
) -> Answer {
    let application = shared.known(&name, &which).await?;
    let origin = application.origin()?;
    let source = origin.sources.first().ok_or(Refusal::Denied)?;
    let revision = if which.revision.is_empty() {
        &source.target_revision
    } else {
        &which.revision
    };
    let sources = &shared.reconciler.sources;
    let commit = sources.resolve(source, revision).await?;
    let objects = sources.objects(source, &commit).await?;
    let targets = shared.reconciler.targets(&application, &objects).await?;
    let named = objects.iter().filter(|object| key_of(object).is_some());
    let marked = named.zip(&targets).map(|(object, target)| {
        let mut object = object.clone();
        let mark = annotation(&target.value, TRACKING).unwrap_or_default();
        set_annotation(&mut object, TRACKING, mark.to_owned());
        crate::argocd::manifest::encode_secret(&mut object);
        if target.key.kind == "Secret" && target.key.group.is_empty() {
            Secret::default().hide(&mut object);
        }
        object.to_string()
    });
    Ok(Json(json!({
        "manifests": marked.collect::<Vec<String>>(),
        "namespace": application.spec.destination.namespace,
        "server": application.spec.destination.server,
        "revision": commit.as_str(),
        "sourceType": SOURCE_TYPE,
    })))
}

/// Returns author, date and message of a commit. An unknown one is an internal error, as with Argo CD.
pub(super) async fn revision(
    State(shared): SharedState,
    Path((name, revision)): Path<(String, String)>,
    Query(which): RestQuery,
) -> Answer {
    let application = shared.known(&name, &which).await?;
    let origin = application.origin()?;
    let source = origin.sources.get(which.source_index);
    let source = source.ok_or_else(|| {
        Refusal::Invalid(format!("source index {} not found", which.source_index))
    })?;
    let metadata = shared
        .reconciler
        .sources
        .metadata(source, &revision)
        .await?;
    let date = metadata
        .date
        .parse::<Timestamp>()
        .map_or(metadata.date, stamp);
    let mut answer = json!({"author": metadata.author, "date": date, "message": metadata.message});
    if !metadata.tags.is_empty() {
        answer["tags"] = json!(metadata.tags);
    }
    Ok(Json(answer))
}
