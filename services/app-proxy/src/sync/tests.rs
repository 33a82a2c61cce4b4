use causeway_argocd::application::Application;
use causeway_proto::ids::RequestId;
use serde_json::{Value, json};

use super::{Decision, Mode, Prune, SyncOrder, decide};

const MINE: &str = "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001";
/// 2026-01-01, midnight.
const ASKED_AT: u64 = 1_767_225_600;
const OTHER: &str = "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a002";

fn decision(operation: impl Into<Value>, state: impl Into<Value>) -> Decision {
    let (operation, state) = (operation.into(), state.into());
    let application = Application::read(json!({
        "metadata": {"namespace": "argocd", "name": "web", "uid": "u", "resourceVersion": "7"},
        "operation": operation,
        "status": {"operationState": state},
    }));
    let mine: RequestId = MINE.parse().unwrap();
    decide(&application.unwrap(), &mine, ASKED_AT)
}

fn info(id: &str) -> Value {
    json!([{"name": "causeway.io/request-id", "value": id}])
}

fn by(decision: Decision) -> String {
    match decision {
        Decision::Busy(running) => running.by,
        Decision::Start | Decision::Repeated(_) | Decision::Overtaken => "nobody".to_owned(),
    }
}

#[test]
fn an_idle_application_takes_a_sync() {
    assert_eq!(decision(Value::Null, Value::Null), Decision::Start);
    let ended = json!({"phase": "Succeeded", "operation": {"info": info(OTHER)}, "finishedAt": "2026-01-01T00:00:00Z"});
    assert_eq!(decision(Value::Null, ended), Decision::Start);
}

#[test]
fn a_request_that_started_an_operation_starts_no_second_one() {
    let asked = json!({"info": info(MINE)});
    assert_eq!(decision(asked, Value::Null), Decision::Repeated(None));
    for phase in ["", "Running", "Succeeded", "Failed", "Error"] {
        let state = json!({"phase": phase, "operation": {"info": info(MINE)}, "startedAt": "1970-01-01T00:00:01Z"});
        assert_eq!(
            decision(Value::Null, state),
            Decision::Repeated(Some(1000)),
            "{phase}"
        );
    }
}

#[test]
fn a_request_from_before_another_operation_may_have_been_done_and_is_not_done_again() {
    for (began, expected) in [
        ("2025-12-31T23:59:59Z", Decision::Start),
        ("2026-01-01T00:00:00Z", Decision::Start),
        ("2026-01-01T00:00:01Z", Decision::Overtaken),
        ("2026-01-01T00:01:00Z", Decision::Overtaken),
    ] {
        let state = json!({"phase": "Succeeded", "operation": {"info": info(OTHER)}, "startedAt": began, "finishedAt": began});
        assert_eq!(decision(Value::Null, state), expected, "{began}");
    }
}

#[test]
fn an_operation_of_somebody_else_is_named() {
    let asked = json!({"initiatedBy": {"username": "alice"}});
    assert_eq!(by(decision(asked, Value::Null)), "alice");
    let automated = json!({"phase": "Running", "operation": {"initiatedBy": {"automated": true}}});
    assert_eq!(
        by(decision(Value::Null, automated)),
        "Argo CD itself (automated sync)"
    );
    let ours = json!({"phase": "Terminating", "operation": {"info": [
        {"name": "causeway.io/initiated-by", "value": "user:bob"},
    ]}});
    assert_eq!(by(decision(Value::Null, ours)), "user:bob");
}

#[test]
fn an_operation_without_a_phase_yet_is_under_way() {
    let begun = json!({"operation": {}, "startedAt": "2026-01-01T00:00:00Z"});
    assert_eq!(by(decision(Value::Null, begun)), "somebody");
}

#[test]
fn the_patch_is_good_for_one_version_and_carries_the_applications_own_options() {
    let order = SyncOrder {
        request_id: MINE.parse().unwrap(),
        user: "admin".parse().unwrap(),
        revision: Some("abc".to_owned()),
        prune: Prune::Delete,
        mode: Mode::DryRun,
    };
    let patch = order.patch(&json!({
        "metadata": {"resourceVersion": "7"},
        "spec": {"syncPolicy": {"syncOptions": ["CreateNamespace=true"], "retry": {"limit": 2}}},
    }));
    assert_eq!(
        patch,
        json!({
            "metadata": {"resourceVersion": "7"},
            "operation": {
                "initiatedBy": {"username": "admin"},
                "info": [
                    {"name": "causeway.io/request-id", "value": MINE},
                    {"name": "causeway.io/initiated-by", "value": "user:admin"},
                ],
                "sync": {
                    "revision": "abc", "prune": true, "dryRun": true,
                    "syncStrategy": {"hook": {}}, "syncOptions": ["CreateNamespace=true"],
                },
                "retry": {"limit": 2},
            },
        })
    );
}
