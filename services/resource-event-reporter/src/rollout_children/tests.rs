use std::sync::Arc;

use causeway_reporting::object::{ObjectEvent, ObjectKey, WatchScope};
use serde_json::json;

use super::{ChildKind, RolloutChildren};
use crate::{detail::Sort, object::Object};

fn key(name: &str) -> ObjectKey {
    ObjectKey {
        namespace: "shop".to_owned(),
        name: name.to_owned(),
        uid: format!("uid-{name}"),
    }
}

fn set(name: &str, version: u32) -> Arc<Object> {
    let object = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {
            "namespace": "shop", "name": name, "uid": format!("uid-{name}"), "resourceVersion": version.to_string(),
            "ownerReferences": [{
                "apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "name": "web", "uid": "uid-web", "controller": true,
            }],
        },
    });
    Arc::new(Object::read(object, Sort::ReplicaSet).unwrap())
}

/// Applies a complete list of ReplicaSets. Returns the affected Rollouts.
fn list(
    rollout_children: &RolloutChildren,
    child_kind: ChildKind,
    sets: &[Arc<Object>],
) -> Vec<ObjectKey> {
    let scope = WatchScope::All;
    let started = ObjectEvent::ListStarted {
        scope: scope.clone(),
        resource_version: 10,
    };
    let applied = sets.iter().map(|set| ObjectEvent::Applied(Arc::clone(set)));
    let events = [started].into_iter().chain(applied);
    let events = events.chain([ObjectEvent::ListCompleted { scope }]);
    events
        .flat_map(|event| rollout_children.observe(child_kind, &event))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn rollout_is_reported_once_all_children_are_known() {
    let rollout_children = RolloutChildren::within(&[WatchScope::All]);
    list(
        &rollout_children,
        ChildKind::ReplicaSets,
        &[set("web-1", 1)],
    );
    assert!(rollout_children.children(&key("web")).await.is_none());
    rollout_children.observe(ChildKind::AnalysisRuns, &ObjectEvent::KindUnavailable);
    let children = rollout_children.children(&key("web")).await.unwrap();
    assert_eq!(
        (children.replica_sets.len(), children.analysis_runs.len()),
        (1, 0)
    );
    assert_eq!(children.replica_sets[0].key, key("web-1"));
}

#[test]
fn rollout_is_affected_only_by_changed_children() {
    let rollout_children = RolloutChildren::within(&[WatchScope::All]);
    assert_eq!(
        list(
            &rollout_children,
            ChildKind::ReplicaSets,
            &[set("web-1", 1)]
        ),
        [key("web")]
    );
    assert!(
        list(
            &rollout_children,
            ChildKind::ReplicaSets,
            &[set("web-1", 1)]
        )
        .is_empty()
    );
    let change = ObjectEvent::Applied(set("web-1", 2));
    assert_eq!(
        rollout_children.observe(ChildKind::ReplicaSets, &change),
        [key("web")]
    );
    let deleted = ObjectEvent::Deleted {
        key: key("web-1"),
        resource_version: 3,
    };
    assert_eq!(
        rollout_children.observe(ChildKind::ReplicaSets, &deleted),
        [key("web")]
    );
    assert!(
        rollout_children
            .observe(ChildKind::ReplicaSets, &deleted)
            .is_empty()
    );
}

#[tokio::test]
async fn children_absent_from_a_list_are_removed() {
    let rollout_children = RolloutChildren::within(&[WatchScope::All]);
    list(&rollout_children, ChildKind::AnalysisRuns, &[]);
    list(
        &rollout_children,
        ChildKind::ReplicaSets,
        &[set("web-1", 1), set("web-2", 2)],
    );
    assert_eq!(
        list(
            &rollout_children,
            ChildKind::ReplicaSets,
            &[set("web-2", 2)]
        ),
        [key("web")]
    );
    let children = rollout_children.children(&key("web")).await.unwrap();
    assert_eq!(children.replica_sets.len(), 1);
}
