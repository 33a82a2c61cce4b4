use serde_json::{Value, json};

use super::{
    super::{
        ownership::{entries, record_update},
        refusal::Reason,
        resource::{Resource, builtin},
        store::{Context, Part},
    },
    ApplyRequest, Force, apply,
};

fn deployments() -> Resource {
    builtin()
        .into_iter()
        .find(|resource| resource.plural == "deployments")
        .unwrap()
}

fn context(manager: &str) -> Context<'_> {
    Context {
        now: "2026-01-01T00:00:00Z",
        manager,
    }
}

fn deployment(spec: &Value) -> Value {
    json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "labels": { "a": "1" } }, "spec": spec })
}

fn request(
    live: &Value,
    applied: &Value,
    manager: &str,
    force: Force,
) -> Result<Value, super::Refusal> {
    let resource = deployments();
    let request = ApplyRequest {
        resource: &resource,
        applied,
        part: Part::Main,
        force,
    };
    apply(&request, live, &context(manager))
}

fn empty() -> Value {
    json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" } })
}

#[test]
fn what_a_manager_wants_no_longer_goes_away() {
    let first = deployment(
        &json!({ "replicas": 2, "template": { "spec": { "containers": [{ "name": "a" }, { "name": "b" }] } } }),
    );
    let live = request(&empty(), &first, "git", Force::Refuse).unwrap();
    let second = deployment(
        &json!({ "template": { "spec": { "containers": [{ "name": "b", "image": "b:1" }] } } }),
    );
    let live = request(&live, &second, "git", Force::Refuse).unwrap();
    assert_eq!(
        live["spec"],
        json!({ "template": { "spec": { "containers": [{ "name": "b", "image": "b:1" }] } } })
    );
}

#[test]
fn what_another_manager_owns_stays() {
    let live = request(
        &empty(),
        &deployment(&json!({ "replicas": 2, "paused": true })),
        "git",
        Force::Refuse,
    )
    .unwrap();
    let live = request(
        &live,
        &deployment(&json!({ "replicas": 2 })),
        "other",
        Force::Refuse,
    )
    .unwrap();
    let live = request(&live, &deployment(&json!({})), "git", Force::Refuse).unwrap();
    assert_eq!(live["spec"], json!({ "replicas": 2 }));
}

#[test]
fn another_value_for_an_owned_field_conflicts_until_forced() {
    let live = request(
        &empty(),
        &deployment(&json!({ "replicas": 2 })),
        "git",
        Force::Refuse,
    )
    .unwrap();
    let mut scaled = live.clone();
    scaled["spec"]["replicas"] = 5.into();
    record_update(
        &deployments(),
        &live,
        &mut scaled,
        Part::Main,
        &context("kubectl"),
    );
    let refusal = request(
        &scaled,
        &deployment(&json!({ "replicas": 3 })),
        "git",
        Force::Refuse,
    )
    .unwrap_err();
    assert_eq!(refusal.reason, Reason::Conflict);
    assert_eq!(
        refusal.message,
        "Apply failed with 1 conflict: conflict with \"kubectl\" using apps/v1: .spec.replicas"
    );
    let taken = request(
        &scaled,
        &deployment(&json!({ "replicas": 3 })),
        "git",
        Force::TakeOver,
    )
    .unwrap();
    assert_eq!(taken["spec"]["replicas"], 3);
    assert!(entries(&taken).iter().all(|entry| entry.manager == "git"));
}

#[test]
fn applying_the_same_twice_changes_nothing() {
    let wanted = deployment(
        &json!({ "replicas": 2, "template": { "spec": { "containers": [{ "name": "a", "ports": [{ "containerPort": 80 }] }] } } }),
    );
    let live = request(&empty(), &wanted, "git", Force::Refuse).unwrap();
    assert_eq!(request(&live, &wanted, "git", Force::Refuse).unwrap(), live);
}

#[test]
fn an_update_takes_over_what_it_changes_only() {
    let live = request(
        &empty(),
        &deployment(&json!({ "replicas": 2, "paused": true })),
        "git",
        Force::Refuse,
    )
    .unwrap();
    let mut changed = live.clone();
    changed["spec"]["replicas"] = 4.into();
    record_update(
        &deployments(),
        &live,
        &mut changed,
        Part::Main,
        &context("autoscaler"),
    );
    let owners = entries(&changed);
    let of = |manager: &str| {
        owners
            .iter()
            .find(|entry| entry.manager == manager)
            .unwrap()
            .fields
            .write()
    };
    assert_eq!(of("autoscaler"), json!({ "f:spec": { "f:replicas": {} } }));
    assert_eq!(
        of("git"),
        json!({ "f:metadata": { "f:labels": { "f:a": {} } }, "f:spec": { "f:paused": {} } })
    );
}
