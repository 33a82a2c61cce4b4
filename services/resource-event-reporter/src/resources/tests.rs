use causeway_argocd::redact::Redactor;
use causeway_reporting::{Enrichment as _, Kind, ReportedKind as _};
use serde_json::{Value, json};

use super::Resources;
use crate::owners::Owners;

const CANARY: &str = "c4n4ry-1n-4-r0ll0ut";

fn resources(group: &str, plural: &str) -> Resources {
    Resources::new(Kind::new(group, "v1", plural), Redactor::new(b"a key"))
}

fn replica_set(owner: &Value) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {
            "namespace": "shop", "name": "web-1", "uid": "u", "resourceVersion": "7", "ownerReferences": [owner],
        },
    })
}

#[test]
fn replica_sets_of_rollouts_and_deployments_are_reported() {
    let sets = resources("apps", "replicasets");
    let reported = |api_version: &str, kind: &str| {
        let owner = json!({"apiVersion": api_version, "kind": kind, "name": "web", "uid": "o", "controller": true});
        sets.read(replica_set(&owner)).unwrap().is_some()
    };
    assert!(reported("argoproj.io/v1alpha1", "Rollout") && reported("apps/v1", "Deployment"));
    assert!(!reported("example.com/v1", "Rollout") && !reported("v1", "ConfigMap"));
    assert!(sets.read(replica_set(&Value::Null)).unwrap().is_none());
}

#[test]
fn unreadable_object_is_reported_without_its_content() {
    let bad = json!({
        "metadata": {"namespace": "shop", "name": "bad", "uid": "u", "resourceVersion": "7"},
        "spec": {"replicas": CANARY},
    });
    let malformed = resources("argoproj.io", "rollouts").read(bad).unwrap_err();
    assert_eq!(malformed.key.to_string(), "shop/bad");
    assert!(!malformed.to_string().contains(CANARY), "{malformed}");
}

#[test]
fn no_secret_is_told() {
    let rollout = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout",
        "metadata": {
            "namespace": "shop", "name": "web", "uid": "u", "resourceVersion": "7",
            "labels": {"password": CANARY},
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": CANARY},
        },
        "spec": {"template": {"spec": {"containers": [
            {"image": "a:1", "env": [{"name": "PASSWORD", "value": CANARY}], "args": ["--token", CANARY]},
        ]}}},
        "status": {"message": format!("cannot reach https://user:{CANARY}@host/x")},
    });
    let kind = resources("argoproj.io", "rollouts");
    let object = kind.read(rollout).unwrap().unwrap();
    assert!(!format!("{object:?}").contains(CANARY), "{object:?}");
    let (change, _) = kind.to_change(&object, &Owners::without_source()).unwrap();
    assert!(!format!("{change:?}").contains(CANARY), "{change:?}");
    let manifest = kind.manifest(&object).unwrap();
    let manifest = String::from_utf8_lossy(&manifest.bytes).into_owned();
    assert!(!manifest.contains(CANARY), "{manifest}");
    assert!(manifest.contains("(redacted "), "{manifest}");
}

#[test]
fn objects_are_reported_once_owned_and_unowned_events_never() {
    let object = json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"namespace": "shop", "name": "web.1", "uid": "e", "resourceVersion": "9"},
    });
    let (events, others) = (resources("", "events"), resources("", "services"));
    let event = events.read(object.clone()).unwrap().unwrap();
    let other = others.read(object).unwrap().unwrap();
    assert!(others.to_change(&other, &Owners::default()).is_none());
    assert!(
        others
            .to_change(&other, &Owners::without_source())
            .is_some()
    );
    assert!(
        events
            .to_change(&event, &Owners::without_source())
            .is_none()
    );
}
