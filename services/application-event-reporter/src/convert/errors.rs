//! Collects errors of an Application with their source. Duplicates keep the most specific one: resource, operation, then
//! condition.

use causeway_argocd::application::{self as argocd, Application};
use causeway_proto::inventory::v1::{self as pb, application_error::Source};
use prost_types::Timestamp;

use super::state::{phase, timestamp};

/// Nobody reads more of them.
pub(super) const MOST_ERRORS: usize = 100;
/// How Argo CD sums up the failures of resources, in the operation and in a condition about it.
const SUM: &str = "one or more ";
const ABOUT_OPERATION: &str = "SyncError";

/// The errors of an application with these resources.
pub(super) fn to_errors(
    application: &Application,
    resources: &[pb::Resource],
) -> Vec<pb::ApplicationError> {
    let mut errors = of_operation(application);
    let conditions = application.status.conditions.iter();
    let untold = conditions.filter(|condition| !is_told(condition, application, &errors));
    let conditions: Vec<_> = untold.map(of_condition).collect();
    errors.extend(conditions);
    errors.extend(of_health(application, resources));
    errors.truncate(MOST_ERRORS);
    errors
}

/// Of the last operation: the resources that failed in it, and itself where they do not say it all.
fn of_operation(application: &Application) -> Vec<pb::ApplicationError> {
    let Some(state) = &application.status.operation_state else {
        return Vec::new();
    };
    // Another one has been asked for since.
    if application.operation.is_some() && state.finished_at.is_some() {
        return Vec::new();
    }
    let ended = state.finished_at.as_deref().or(state.started_at.as_deref());
    let seen = timestamp(ended);
    let results = state.sync_result.iter().flat_map(|it| &it.resources);
    let failed = results.filter(|result| has_failed(result));
    let mut errors: Vec<_> = failed
        .take(MOST_ERRORS)
        .map(|result| of_result(result, seen))
        .collect();
    let ending = phase(&state.phase);
    let failed = matches!(
        ending,
        pb::OperationPhase::Failed | pb::OperationPhase::Error
    );
    if failed && (errors.is_empty() || !state.message.starts_with(SUM)) {
        let source = Source::Operation(ending.into());
        errors.insert(0, sync_error(state.message.clone(), seen, source));
    }
    errors
}

fn has_failed(result: &argocd::ResourceResult) -> bool {
    result.status == "SyncFailed" || matches!(result.hook_phase.as_str(), "Failed" | "Error")
}

fn of_result(result: &argocd::ResourceResult, seen: Option<Timestamp>) -> pb::ApplicationError {
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

/// Whether a condition only repeats what the operation's errors say.
fn is_told(
    condition: &argocd::Condition,
    application: &Application,
    errors: &[pb::ApplicationError],
) -> bool {
    let state = application.status.operation_state.as_ref();
    let whole = state.map_or("", |state| state.message.as_str());
    let repeats = condition.message.contains(SUM) || condition.message.contains(whole);
    condition.kind == ABOUT_OPERATION && !errors.is_empty() && repeats
}

fn of_condition(condition: &argocd::Condition) -> pb::ApplicationError {
    let level = match condition.kind.ends_with("Warning") {
        true => pb::ApplicationErrorLevel::Warning,
        false => pb::ApplicationErrorLevel::Error,
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

/// What does not work; the application itself where nothing of it is known not to.
fn of_health(application: &Application, resources: &[pb::Resource]) -> Vec<pb::ApplicationError> {
    let status = &application.status;
    let seen = timestamp(status.reconciled_at.as_deref());
    let degraded = |resource: &&pb::Resource| {
        let health = resource.health.as_ref();
        health.is_some_and(|health| health.status() == pb::HealthStatus::Degraded)
    };
    let broken = resources.iter().filter(degraded).take(MOST_ERRORS);
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
    let message = match message.is_empty() {
        true => "it is degraded, and Argo CD does not say why".to_owned(),
        false => message,
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
