use causeway_argocd::application::Application;
use causeway_proto::inventory::v1::{self as pb, application_error::Source};
use serde_json::{Value, json};

use super::{MAX_ERRORS, to_errors};

/// Statuses recorded from a real Argo CD.
const SYNC_FAILS: &str =
    include_str!("../../../../../tests/conformance/expected/argocd/sync_fails.txt");
const ALL_FAILS: &str =
    include_str!("../../../../../tests/conformance/expected/argocd/all_fails.txt");
const KIND_IS_UNKNOWN: &str =
    include_str!("../../../../../tests/conformance/expected/argocd/kind_is_unknown.txt");
const REVISION_IS_BAD: &str =
    include_str!("../../../../../tests/conformance/expected/argocd/revision_is_bad.txt");
const FAILED_POD: &str =
    include_str!("../../../../../tests/conformance/expected/argocd/failed-pod.txt");
const SYNCED: &str =
    include_str!("../../../../../tests/conformance/expected/argocd/synced_by_hand.txt");

fn status(recorded: &str) -> Value {
    let text = recorded.split("# status\n").nth(1).unwrap();
    let text = text.split("\n\n# ").next().unwrap();
    serde_json::from_str(&text.replace("\"TIME\"", "\"2026-01-02T03:04:05Z\"")).unwrap()
}

fn application(status: &Value, operation: &Value) -> Application {
    Application::from_value(json!({
        "metadata": {"namespace": "argocd", "name": "web", "uid": "u", "resourceVersion": "7"},
        "status": status,
        "operation": operation,
    }))
    .unwrap()
}

fn shown(error: &pb::ApplicationError) -> String {
    let subject = match error.r#type() {
        pb::ApplicationErrorType::Sync => "sync",
        pb::ApplicationErrorType::Health => "health",
        pb::ApplicationErrorType::Unspecified => "?",
    };
    let level = match error.level() {
        pb::ApplicationErrorLevel::Warning => "warning",
        pb::ApplicationErrorLevel::Error => "error",
        pb::ApplicationErrorLevel::Unspecified => "?",
    };
    let resource = |it: &pb::ResourceName| {
        format!(
            "{}/{} {} {}/{}",
            it.group, it.version, it.kind, it.namespace, it.name
        )
    };
    let source = match &error.source {
        Some(Source::Condition(kind)) => kind.clone(),
        Some(Source::Operation(phase)) => format!("operation {phase}"),
        Some(Source::Resource(it)) => resource(it),
        Some(Source::Child(it)) => format!("child {}", resource(it)),
        None => "-".to_owned(),
    };
    let message: String = error.message.chars().take(60).collect();
    format!("{subject} {level} [{source}] {message}")
}

fn all(status: &Value, resources: &[pb::Resource]) -> Vec<String> {
    let errors = to_errors(&application(status, &Value::Null), resources);
    errors.iter().map(shown).collect()
}

fn broken(group: &str, kind: &str, message: &str) -> pb::Resource {
    pb::Resource {
        group: group.to_owned(),
        version: "v1".to_owned(),
        kind: kind.to_owned(),
        namespace: "x".to_owned(),
        name: "n".to_owned(),
        health: Some(pb::HealthState {
            status: pb::HealthStatus::Degraded.into(),
            message: message.to_owned(),
            since: None,
        }),
        ..pb::Resource::default()
    }
}

const INVALID: &str = "sync error [apps/v1 Deployment APPLICATION/web] Deployment.apps \"web\" is invalid: spec.template.metadata.lab";

#[test]
fn failed_sync_is_reported_per_resource_without_the_summary() {
    for recorded in [SYNC_FAILS, ALL_FAILS] {
        assert_eq!(all(&status(recorded), &[]), [INVALID]);
    }
    let wanted = "sync error [example.com/v1 Nothing APPLICATION/nothing] The Kubernetes API could not find example.com/Nothing for re";
    assert_eq!(all(&status(KIND_IS_UNKNOWN), &[]), [wanted]);
}

#[test]
fn condition_that_repeats_the_operation_is_omitted() {
    let mut failed = status(SYNC_FAILS);
    let told = SYNC_FAILS
        .split("= SyncError: ")
        .nth(1)
        .unwrap()
        .lines()
        .next();
    failed["conditions"] = json!([
        {"type": "SyncError", "message": told},
        {"type": "OrphanedResourceWarning", "message": "Application has 1 orphaned resources"},
    ]);
    let orphaned =
        "sync warning [OrphanedResourceWarning] Application has 1 orphaned resources".to_owned();
    assert_eq!(all(&failed, &[]), [INVALID.to_owned(), orphaned]);
    let wanted =
        "sync error [ComparisonError] Failed to load target state: failed to generate manifest for";
    assert_eq!(all(&status(REVISION_IS_BAD), &[]), [wanted]);
}

#[test]
fn operation_failure_without_resource_is_reported_once() {
    let message = "Operation terminated";
    let status = json!({
        "operationState": {"phase": "Error", "message": message, "finishedAt": "2026-01-01T00:00:00Z"},
        "conditions": [{"type": "SyncError", "message": format!("Failed last sync attempt to abc: {message}")}],
    });
    let wanted = format!(
        "sync error [operation {}] {message}",
        i32::from(pb::OperationPhase::Error)
    );
    assert_eq!(all(&status, &[]), [wanted]);
}

#[test]
fn failed_hook_is_a_failed_resource() {
    let status = json!({"operationState": {
        "phase": "Failed",
        "message": "one or more synchronization tasks completed unsuccessfully",
        "syncResult": {"resources": [
            {"group": "batch", "version": "v1", "kind": "Job", "namespace": "x", "name": "migrate", "status": "Synced", "hookPhase": "Failed", "message": "Job has reached the specified backoff limit"},
            {"version": "v1", "kind": "ConfigMap", "namespace": "x", "name": "a", "status": "Synced", "hookPhase": "Succeeded"},
        ]},
    }});
    let wanted = "sync error [batch/v1 Job x/migrate] Job has reached the specified backoff limit";
    assert_eq!(all(&status, &[]), [wanted]);
}

#[test]
fn requested_operation_hides_the_previous_failure() {
    let again = application(&status(ALL_FAILS), &json!({"sync": {}}));
    assert_eq!(to_errors(&again, &[]), []);
}

#[test]
fn unhealthy_resources_and_children_are_errors() {
    let resources = [
        broken("apps", "Deployment", "progress deadline exceeded"),
        broken("argoproj.io", "Application", ""),
        pb::Resource::default(),
    ];
    let wanted = [
        "health error [apps/v1 Deployment x/n] progress deadline exceeded",
        "health error [child argoproj.io/v1 Application x/n] it is degraded, and Argo CD does not say why",
    ];
    assert_eq!(all(&status(FAILED_POD), &resources), wanted);
    let wanted = "health error [-] it is degraded, and Argo CD does not say why";
    assert_eq!(all(&status(FAILED_POD), &[]), [wanted]);
}

#[test]
fn synced_and_healthy_application_has_no_errors() {
    assert_eq!(all(&status(SYNCED), &[]), Vec::<String>::new());
    assert_eq!(all(&Value::Null, &[]), Vec::<String>::new());
}

#[test]
fn error_count_is_limited() {
    let many = vec![broken("", "Pod", "back-off"); 3 * MAX_ERRORS];
    assert_eq!(all(&Value::Null, &many).len(), MAX_ERRORS);
}

#[test]
fn errors_are_dated() {
    let seen = |recorded| {
        let errors = to_errors(&application(&status(recorded), &Value::Null), &[]);
        errors[0].last_seen.map(|time| time.seconds)
    };
    let wanted = Some(1_767_323_045);
    assert_eq!(seen(ALL_FAILS), wanted);
    assert_eq!(seen(REVISION_IS_BAD), wanted);
    assert_eq!(seen(FAILED_POD), wanted);
}
