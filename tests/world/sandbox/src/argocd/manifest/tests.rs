use serde_json::json;

use super::*;

#[test]
fn a_key_needs_an_api_version_a_kind_and_a_name() {
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "b"}});
    let key = key_of(&deployment).unwrap();
    assert_eq!((key.group.as_str(), key.namespace.as_str()), ("apps", "b"));
    assert_eq!(key.to_string(), "apps/Deployment/a");
    assert_eq!(
        key_of(&json!({"apiVersion": "v1", "kind": "Pod", "metadata": {}})),
        None
    );
    assert_eq!(
        key_of(&json!({"kind": "Pod", "metadata": {"name": "a"}})),
        None
    );
}

#[test]
fn annotations_are_written_into_objects_that_have_none_and_leave_no_empty_map() {
    let mut value = json!({"kind": "Pod"});
    set_annotation(&mut value, TRACKING, "app:/Pod:ns/a".to_owned());
    assert_eq!(tracked_by(&value), Some("app"));
    remove_annotation(&mut value, TRACKING);
    assert_eq!(value, json!({"kind": "Pod", "metadata": {}}));
}

#[test]
fn images_are_those_of_all_containers_once() {
    let pod = json!({"initContainers": [{"image": "i"}], "containers": [{"image": "a"}, {"image": "a"}, {"image": "b"}]});
    assert_eq!(
        images(&json!({"spec": {"template": {"spec": pod}}})),
        ["i", "a", "b"]
    );
}

#[test]
fn options_and_waves_come_from_annotations() {
    let value = json!({"metadata": {"annotations": {
        "argocd.argoproj.io/sync-wave": "-2", "argocd.argoproj.io/sync-options": "Prune=false, Replace=true"}}});
    assert_eq!(sync_wave(&value), -2);
    assert!(has_sync_option(&value, "Replace=true") && !has_sync_option(&value, "Delete=false"));
}

#[test]
fn string_data_of_a_secret_is_encoded_into_its_data() {
    let mut secret = json!({"apiVersion": "v1", "kind": "Secret", "data": {"a": "eA=="}, "stringData": {"b": "y"}});
    encode_secret(&mut secret);
    assert_eq!(
        secret,
        json!({"apiVersion": "v1", "kind": "Secret", "data": {"a": "eA==", "b": "eQ=="}})
    );
}
