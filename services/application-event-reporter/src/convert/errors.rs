//! Collects errors of an Application with their source. Duplicates keep the most specific one: resource, operation, then
//! condition.

use causeway_argocd::application::{self as argocd, Application};
use causeway_proto::inventory::v1::{self as pb, application_error::Source};
use prost_types::Timestamp;

use super::state::{phase, timestamp};

/// Maximum number of reported errors.
pub(super) const MAX_ERRORS: usize = 100;
/// Prefix of Argo CD's summary of failed resources, in the operation and in its condition.
const SUMMARY_PREFIX: &str = "one or more ";
const ABOUT_OPERATION: &str = "SyncError";

/// Collects the errors of an application with these resources.
pub(super) fn to_errors(
    application: &Application,
    resources: &[pb::Resource],
) -> Vec<pb::ApplicationError> {
    let mut errors = operation_errors(application);
    let conditions = application.status.conditions.iter();
    let untold = conditions.filter(|condition| !is_repeated(condition, application, &errors));
    let conditions: Vec<_> = untold.map(condition_error).collect();
    errors.extend(conditions);
    errors.extend(health_errors(application, resources));
    errors.truncate(MAX_ERRORS);
    errors
}

/// Errors of the last operation: its failed resources, and the operation itself if they do not explain it.
fn operation_errors(application: &Application) -> Vec<pb::ApplicationError> {
    let Some(state) = &application.status.operation_state else {
        return Vec::new();
    };
    // A dry run is no state of the application.
    if state.operation.sync.as_ref().is_some_and(|it| it.dry_run) {
        return Vec::new();
    }
    // A newer operation has been requested.
    if application.operation.is_some() && state.finished_at.is_some() {
        return Vec::new();
    }
    let ended = state.finished_at.as_deref().or(state.started_at.as_deref());
    let seen = timestamp(ended);
    let results = state.sync_result.iter().flat_map(|it| &it.resources);
    let failed = results.filter(|result| has_failed(result));
    let mut errors: Vec<_> = failed
        .take(MAX_ERRORS)
        .map(|result| resource_error(result, seen))
        .collect();
    let ending = phase(&state.phase);
    let failed = matches!(
        ending,
        pb::OperationPhase::Failed | pb::OperationPhase::Error
    );
    if failed && (errors.is_empty() || !state.message.starts_with(SUMMARY_PREFIX)) {
        let source = Source::Operation(ending.into());
        errors.insert(0, sync_error(state.message.clone(), seen, source));
    }
    errors
}

fn has_failed(result: &argocd::ResourceResult) -> bool {
    result.status == "SyncFailed" || matches!(result.hook_phase.as_str(), "Failed" | "Error")
}

fn resource_error(
    result: &argocd::ResourceResult,
    seen: Option<Timestamp>,
) -> pb::ApplicationError {
    let source = Source::Resource(pb::ResourceName {
        group: result.group.to_string(),
        version: result.version.to_string(),
        kind: result.kind.to_string(),
        namespace: result.namespace.to_string(),
        name: result.name.to_string(),
    });
    sync_error(result.message.clone(), seen, source)
}

fn sync_error(message: String, seen: Option<Timestamp>, source: Source) -> pb::ApplicationError {
    pb::ApplicationError {
        r#type: pb::ApplicationErrorType::Sync.into(),
        level: pb::ApplicationErrorLevel::Error.into(),
        message,
        last_seen: seen,
        source: Some(source),
    }
}

/// Returns true if a condition only repeats errors of the operation.
fn is_repeated(
    condition: &argocd::Condition,
    application: &Application,
    errors: &[pb::ApplicationError],
) -> bool {
    let state = application.status.operation_state.as_ref();
    let whole = state.map_or("", |state| state.message.as_str());
    let repeats = condition.message.contains(SUMMARY_PREFIX) || condition.message.contains(whole);
    condition.kind == ABOUT_OPERATION && !errors.is_empty() && repeats
}

fn condition_error(condition: &argocd::Condition) -> pb::ApplicationError {
    let level = if condition.kind.ends_with("Warning") {
        pb::ApplicationErrorLevel::Warning
    } else {
        pb::ApplicationErrorLevel::Error
    };
    pb::ApplicationError {
        level: level.into(),
        ..sync_error(
            condition.message.clone(),
            timestamp(condition.last_transition_time.as_deref()),
            Source::Condition(condition.kind.clone()),
        )
    }
}

/// Health errors of resources, or of the application itself if no resource is unhealthy.
fn health_errors(
    application: &Application,
    resources: &[pb::Resource],
) -> Vec<pb::ApplicationError> {
    let status = &application.status;
    let seen = timestamp(status.reconciled_at.as_deref());
    let degraded = |resource: &&pb::Resource| {
        let health = resource.health.as_ref();
        health.is_some_and(|health| health.status() == pb::HealthStatus::Degraded)
    };
    let broken = resources.iter().filter(degraded).take(MAX_ERRORS);
    let errors: Vec<_> = broken
        .map(|resource| {
            let health = resource.health.clone().unwrap_or_default();
            health_error(health.message, seen.or(health.since), Some(place(resource)))
        })
        .collect();
    if errors.is_empty() && status.health.status == "Degraded" {
        let message = status.health.message.clone();
        return vec![health_error(message, seen, None)];
    }
    errors
}

fn health_error(
    message: String,
    seen: Option<Timestamp>,
    source: Option<Source>,
) -> pb::ApplicationError {
    let message = if message.is_empty() {
        "it is degraded, and Argo CD does not say why".to_owned()
    } else {
        message
    };
    pb::ApplicationError {
        r#type: pb::ApplicationErrorType::Health.into(),
        level: pb::ApplicationErrorLevel::Error.into(),
        message,
        last_seen: seen,
        source,
    }
}

fn place(resource: &pb::Resource) -> Source {
    let named = pb::ResourceName {
        group: resource.group.clone(),
        version: resource.version.clone(),
        kind: resource.kind.clone(),
        namespace: resource.namespace.clone(),
        name: resource.name.clone(),
    };
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("argoproj.io", "Application") => Source::Child(named),
        _ => Source::Resource(named),
    }
}

#[cfg(test)]
mod tests;
