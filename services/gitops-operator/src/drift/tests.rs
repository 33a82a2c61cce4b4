use serde_json::json;

use super::*;

#[test]
fn what_others_add_to_a_spec_is_surplus_and_what_the_server_drops_is_not() {
    let planned = json!({"a": [], "b": {"c": 1, "d": 2}});
    for (live, surplus) in [
        (json!({"a": [], "b": {"c": 1, "d": 2}}), false),
        (json!({"a": [], "b": {"c": 1}}), false),
        (json!({"a": [1], "b": {"c": 1}}), true),
        (json!({"a": [], "b": {"c": 1, "e": 1}}), true),
        (json!({"a": [], "b": {"c": 2}}), true),
        (json!({"a": [], "x": null}), true),
    ] {
        assert_eq!(has_surplus(&live, &planned), surplus, "{live}");
    }
}

#[test]
fn an_object_is_settled_with_its_spec_owner_and_finalizer() {
    let planned = json!({
        "metadata": {"labels": {"a": "b"}, "finalizers": ["ours"], "ownerReferences": [{"uid": "u"}]},
        "spec": {"x": 1},
    });
    let mut live = planned.clone();
    live["metadata"]["labels"]["other"] = "kept".into();
    live["metadata"]["finalizers"] = json!(["theirs", "ours"]);
    live["metadata"]["ownerReferences"][0]["kind"] = "x".into();
    assert!(is_settled(&live, &planned));
    for pointer in [
        "/metadata/labels/a",
        "/metadata/ownerReferences/0/uid",
        "/spec/x",
    ] {
        let mut other = live.clone();
        *other.pointer_mut(pointer).unwrap() = "changed".into();
        assert!(!is_settled(&other, &planned), "{pointer}");
    }
    live["metadata"]["finalizers"] = json!(["theirs"]);
    assert!(!is_settled(&live, &planned));
}

#[test]
fn changed_fields_are_named_once() {
    let before = json!({"spec": {"a": 1, "b": 2, "c": 3}});
    let after = json!({"kind": "AppProject", "metadata": {"name": "shop"}, "spec": {"a": 1, "b": 3, "d": 4}});
    let fields = changed_fields(&before, &after);
    assert_eq!(fields, ["b", "c", "d"]);
    assert_eq!(describe(&after, &fields), "AppProject shop: b, c, d");
}
