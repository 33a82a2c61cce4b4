use serde_json::{Value, json};

use super::*;

fn check(live: &Value, expected: HealthCode) {
    let found = assess(live).unwrap();
    assert_eq!(found.code, expected, "{live}: {}", found.message);
}

fn of(api_version: &str, kind: &str, spec: &Value, status: &Value) -> Value {
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a", "generation": 2}, "spec": spec, "status": status})
}

#[test]
fn a_deployment_progresses_until_all_updated_replicas_are_available() {
    let check = |status: Value, expected| {
        check(
            &of("apps/v1", "Deployment", &json!({"replicas": 2}), &status),
            expected,
        )
    };
    check(json!({"observedGeneration": 1}), HealthCode::Progressing);
    check(
        json!({"observedGeneration": 2, "updatedReplicas": 1, "replicas": 2}),
        HealthCode::Progressing,
    );
    check(
        json!({"observedGeneration": 2, "updatedReplicas": 2, "replicas": 3}),
        HealthCode::Progressing,
    );
    check(
        json!({"observedGeneration": 2, "updatedReplicas": 2, "replicas": 2}),
        HealthCode::Progressing,
    );
    check(
        json!({"observedGeneration": 2, "updatedReplicas": 2, "replicas": 2, "availableReplicas": 2}),
        HealthCode::Healthy,
    );
    let late =
        json!([{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]);
    check(
        json!({"observedGeneration": 2, "conditions": late}),
        HealthCode::Degraded,
    );
}

#[test]
fn a_paused_deployment_is_suspended() {
    check(
        &of(
            "apps/v1",
            "Deployment",
            &json!({"paused": true}),
            &json!({}),
        ),
        HealthCode::Suspended,
    );
}

#[test]
fn replica_set_progresses_until_its_replicas_are_available() {
    let seen = |status: Value| {
        let mut status = status;
        status["observedGeneration"] = json!(2);
        status
    };
    let spec = json!({"replicas": 1});
    check(
        &of("apps/v1", "ReplicaSet", &spec, &seen(json!({}))),
        HealthCode::Progressing,
    );
    check(
        &of(
            "apps/v1",
            "ReplicaSet",
            &spec,
            &seen(json!({"availableReplicas": 1})),
        ),
        HealthCode::Healthy,
    );
}

#[test]
fn a_pod_whose_image_cannot_be_pulled_is_degraded() {
    let waiting = json!({"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff", "message": "no"}}}]});
    check(&of("v1", "Pod", &json!({}), &waiting), HealthCode::Degraded);
    let ready = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]});
    check(&of("v1", "Pod", &json!({}), &ready), HealthCode::Healthy);
    check(
        &of("v1", "Pod", &json!({}), &json!({"phase": "Pending"})),
        HealthCode::Progressing,
    );
}

#[test]
fn what_only_holds_data_and_other_applications_have_no_health() {
    assert_eq!(assess(&of("v1", "ConfigMap", &json!({}), &json!({}))), None);
    let degraded = json!({"health": {"status": "Degraded"}});
    let application = of("argoproj.io/v1alpha1", "Application", &json!({}), &degraded);
    assert_eq!(assess(&application), None);
}

#[test]
fn what_is_being_deleted_is_progressing() {
    check(
        &json!({"kind": "ConfigMap", "metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}),
        HealthCode::Progressing,
    );
}
