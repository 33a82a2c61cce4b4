use serde_json::{Value, json};

use super::{Object, OwnerChain, Tracking, owner_chain_of};
use crate::{detail::Sort, object::TypeName};

const TRACKING_ID: &str = "argocd.argoproj.io/tracking-id";

fn rollout(tracking: &str) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout",
        "metadata": {
            "namespace": "shop", "name": "web", "uid": "u", "resourceVersion": "7",
            "annotations": {TRACKING_ID: tracking}, "labels": null,
        },
    })
}

fn tracking(text: &str) -> Option<Tracking> {
    Object::read(rollout(text), Sort::Other).unwrap().tracking
}

#[test]
fn application_comes_from_tracking_metadata() {
    let own = tracking("web-app:argoproj.io/Rollout:shop/web").unwrap();
    assert_eq!((own.namespace, own.name.as_str()), (None, "web-app"));
    let other = tracking("team-a_web-app:argoproj.io/Rollout:shop/web").unwrap();
    assert_eq!(
        (other.namespace.as_deref(), other.name.as_str()),
        (Some("team-a"), "web-app")
    );
}

#[test]
fn tracking_metadata_of_another_object_is_ignored() {
    for text in [
        "",
        "web-app",
        ":argoproj.io/Rollout:shop/web",
        "web-app:argoproj.io/Rollout:shop/other",
        "web-app:argoproj.io/Rollout:other/web",
        "web-app:apps/Deployment:shop/web",
        "web-app:argoproj.io/Rollout:web",
    ] {
        assert_eq!(tracking(text), None, "{text}");
    }
}

#[test]
fn object_originates_from_its_controller() {
    let metadata = json!({
        "namespace": "shop", "name": "web-1", "uid": "s", "resourceVersion": "8",
        "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "1"},
            {"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "name": "web", "uid": "u", "controller": true},
        ],
    });
    let of = TypeName::of("apps/v1", "ReplicaSet");
    let above = owner_chain_of(&of, "shop", &metadata)
        .unwrap()
        .above
        .unwrap();
    assert!(above.of.is("argoproj.io", "Rollout"));
    assert_eq!(
        (
            above.namespace.as_str(),
            above.name.as_str(),
            above.uid.as_str()
        ),
        ("shop", "web", "u")
    );
}

#[test]
fn event_originates_from_its_involved_object() {
    let event = json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"namespace": "shop", "name": "web.1", "uid": "e", "resourceVersion": "9"},
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": "web-1-x", "uid": "p"},
    });
    let OwnerChain {
        above, tracking, ..
    } = Object::read(event, Sort::Event).unwrap().owner_chain();
    let above = above.unwrap();
    assert!(above.of.is("", "Pod") && tracking.is_none());
    assert_eq!((above.name.as_str(), above.uid.as_str()), ("web-1-x", "p"));
}

#[test]
fn object_requires_a_numeric_resource_version() {
    let mut object = rollout("");
    object["metadata"]["resourceVersion"] = json!("new");
    assert!(Object::read(object, Sort::Rollout).is_err());
}
