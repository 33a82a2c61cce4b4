use serde_json::json;

use super::*;

pub(in crate::argocd) fn application(spec: &Value) -> Application {
    let mut full = json!({
        "project": "default",
        "source": {"repoURL": "http://x/demo.git", "path": "web", "targetRevision": "main"},
        "destination": {"server": "https://kubernetes.default.svc", "namespace": "web"},
    });
    json_patch::merge(&mut full, spec);
    Application::parse(json!({"metadata": {"name": "web", "namespace": "argocd"}, "spec": full}))
        .unwrap()
}

pub(in crate::argocd) fn target(value: Value) -> Target {
    let kind = GroupKind::of(&value).unwrap();
    Target {
        key: crate::argocd::manifest::key_of(&value).unwrap(),
        version: kind.version,
        value,
    }
}

pub(in crate::argocd) fn config_map(name: &str, text: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "web"}, "data": {"a": text}})
}

fn deployment(available: i64) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": "web"},
        "spec": {"replicas": 1, "template": {"spec": {"containers": [{"name": "c", "image": "i:1"}]}}},
        "status": {"updatedReplicas": 1, "replicas": 1, "availableReplicas": available}})
}

pub(in crate::argocd) fn compared(targets: Vec<Value>, live: Vec<Value>) -> Comparison {
    let live = live
        .into_iter()
        .map(|value| (crate::argocd::manifest::key_of(&value).unwrap(), value))
        .collect();
    let found = Found {
        revision: "abc".to_owned(),
        source_type: "Directory".to_owned(),
        ..Found::default()
    };
    compare(
        &application(&json!({})),
        found,
        targets.into_iter().map(target).collect(),
        live,
    )
}

#[test]
fn what_is_live_as_wanted_is_synced_and_a_difference_is_not() {
    let same = compared(vec![config_map("a", "1")], vec![config_map("a", "1")]);
    assert_eq!(
        (same.sync, same.health),
        (SyncCode::Synced, HealthCode::Healthy)
    );
    let other = compared(vec![config_map("a", "1")], vec![config_map("a", "2")]);
    assert_eq!(other.sync, SyncCode::OutOfSync);
    assert_eq!(other.resources[0].predicted, Some(config_map("a", "1")));
}

#[test]
fn nothing_live_is_missing_even_without_kinds_that_have_health() {
    assert_eq!(
        compared(vec![config_map("a", "1")], Vec::new()).health,
        HealthCode::Missing
    );
    assert_eq!(compared(Vec::new(), Vec::new()).health, HealthCode::Healthy);
    let partly = compared(
        vec![config_map("a", "1"), config_map("b", "1")],
        vec![config_map("a", "1")],
    );
    assert_eq!(partly.health, HealthCode::Healthy);
}

#[test]
fn the_worst_health_is_the_applications() {
    let progressing = compared(
        vec![deployment(0), config_map("a", "1")],
        vec![deployment(0), config_map("a", "1")],
    );
    assert_eq!(progressing.health, HealthCode::Progressing);
    assert_eq!(
        compared(vec![deployment(1)], vec![deployment(1)]).health,
        HealthCode::Healthy
    );
}

#[test]
fn what_is_tracked_but_wanted_no_more_requires_pruning() {
    let comparison = compared(
        vec![config_map("a", "1")],
        vec![config_map("a", "1"), config_map("b", "1")],
    );
    assert_eq!(comparison.sync, SyncCode::OutOfSync);
    assert!(comparison.resources[1].requires_pruning);
    let status = ResourceStatus::from(&comparison.resources[1]);
    assert_eq!(
        serde_json::to_value(status).unwrap(),
        json!({"kind": "ConfigMap", "name": "b", "namespace": "web",
        "requiresPruning": true, "status": "OutOfSync", "version": "v1"})
    );
}

#[test]
fn the_same_object_twice_is_warned_of_and_hooks_are_not_state() {
    let hook = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "web",
        "annotations": {"argocd.argoproj.io/hook": "PreSync"}}});
    let comparison = compared(
        vec![config_map("a", "1"), config_map("a", "2"), hook],
        vec![config_map("a", "2")],
    );
    assert_eq!(comparison.sync, SyncCode::Synced);
    assert_eq!(comparison.hooks.len(), 1);
    assert!(comparison.conditions[0].1.contains("appeared 2 times"));
}

#[test]
fn a_copy_of_a_tracked_object_is_not_ours() {
    let key = ApplicationKey {
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
    };
    let resource = crate::argocd::manifest::key_of(&config_map("a", "1")).unwrap();
    let mut live = config_map("a", "1");
    live["metadata"]["annotations"] = json!({TRACKING: tracking_id("web", &resource)});
    assert!(belongs_to(&key, "argocd", &resource, &live));
    let copy = ResourceKey {
        name: "copy".to_owned(),
        ..resource
    };
    assert!(!belongs_to(&key, "argocd", &copy, &live));
}
