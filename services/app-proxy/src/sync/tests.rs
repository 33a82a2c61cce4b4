use causeway_argocd::application::Application;
use serde_json::{Value, json};

use super::{Decision, Termination, decide, termination};
use crate::outcome::{Effect, REQUESTS_ANNOTATION, RequestIdentity, RequestRecords};

const MINE: &str = "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001";
/// 2026-01-01, midnight.
const ASKED_AT: u64 = 1_767_225_600;
const OTHER: &str = "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a002";

fn decision(operation: impl Into<Value>, state: impl Into<Value>) -> Decision {
    decide(&application(operation, state), &mine(), ASKED_AT)
}

fn application(operation: impl Into<Value>, state: impl Into<Value>) -> Application {
    let (operation, state) = (operation.into(), state.into());
    Application::from_value(json!({
        "metadata": {"namespace": "argocd", "name": "web", "uid": "u", "resourceVersion": "7"},
        "operation": operation,
        "status": {"operationState": state},
    }))
    .unwrap()
}

fn mine() -> RequestIdentity {
    RequestIdentity {
        id: MINE.parse().unwrap(),
        digest: "d".to_owned(),
        effect: Effect::Change,
    }
}

fn info(id: &str) -> Value {
    json!([{"name": "causeway.io/request-id", "value": id}])
}

fn by(decision: Decision) -> String {
    match decision {
        Decision::Busy(running) => running.by,
        Decision::Start
        | Decision::Repeated(_)
        | Decision::Overtaken
        | Decision::RequestIdReused => "nobody".to_owned(),
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
    assert_eq!(by(decision(Value::Null, begun)), "another client");
}

#[test]
fn an_id_that_started_something_else_is_told() {
    let other = json!([
        {"name": "causeway.io/request-id", "value": MINE},
        {"name": "causeway.io/request-digest", "value": "e"},
    ]);
    let asked = json!({"info": other});
    assert_eq!(
        decision(asked.clone(), Value::Null),
        Decision::RequestIdReused
    );
    let ended =
        json!({"phase": "Succeeded", "operation": asked, "finishedAt": "2026-01-01T00:00:00Z"});
    assert_eq!(decision(Value::Null, ended), Decision::RequestIdReused);
}

#[test]
fn an_operation_that_others_came_after_is_known_by_its_mark() {
    let later = json!({"phase": "Succeeded", "operation": {"info": info(OTHER)}, "startedAt": "2025-12-31T00:00:00Z", "finishedAt": "2025-12-31T00:00:00Z"});
    let mut application = application(Value::Null, later);
    assert_eq!(decide(&application, &mine(), ASKED_AT), Decision::Start);
    let mark = RequestRecords::default().with(&mine(), 5_000);
    let annotations = &mut application.metadata.annotations;
    annotations.insert(REQUESTS_ANNOTATION.to_owned(), mark);
    let known = decide(&application, &mine(), ASKED_AT);
    assert_eq!(known, Decision::Repeated(Some(5_000)));
}

#[test]
fn only_an_operation_that_argo_cd_took_up_is_ended() {
    let operation = || json!({"sync": {}});
    let state = |phase: &str| json!({"phase": phase, "operation": operation(), "startedAt": "2026-01-01T00:00:00Z"});
    let nothing = Value::Null;
    for (operation, state, expected) in [
        (operation(), state("Running"), Termination::End),
        (operation(), state("Terminating"), Termination::Ending),
        (operation(), nothing.clone(), Termination::NotBegun),
        (operation(), state("Succeeded"), Termination::NotBegun),
        (operation(), state(""), Termination::NotBegun),
        (nothing.clone(), state("Succeeded"), Termination::Idle),
        (nothing.clone(), nothing.clone(), Termination::Idle),
    ] {
        let told = format!("{operation} {state}");
        assert_eq!(
            termination(&application(operation, state)),
            expected,
            "{told}"
        );
    }
}
