use serde_json::json;

use super::*;

fn check(target: &Value, last: &Value, live: &Value, expected: &Value) {
    assert_eq!(predict(target, Some(last), live), *expected);
}

#[test]
fn defaults_of_the_server_stay_and_changes_are_made() {
    check(
        &json!({"spec": {"replicas": 3}}),
        &Value::Null,
        &json!({"spec": {"replicas": 1, "paused": false}, "status": {}}),
        &json!({"spec": {"replicas": 3, "paused": false}, "status": {}}),
    );
}

#[test]
fn a_field_that_was_applied_before_and_is_gone_now_goes() {
    check(
        &json!({"data": {"a": "1"}}),
        &json!({"data": {"a": "1", "b": "2"}}),
        &json!({"data": {"a": "1", "b": "2", "c": "3"}}),
        &json!({"data": {"a": "1", "c": "3"}}),
    );
}

#[test]
fn containers_are_merged_by_name_and_ports_by_number() {
    let target =
        json!({"containers": [{"name": "a", "image": "2", "ports": [{"containerPort": 80}]}]});
    let live = json!({"containers": [
        {"name": "side", "image": "s"},
        {"name": "a", "image": "1", "ports": [{"containerPort": 80, "protocol": "TCP"}], "terminationMessagePath": "/x"}]});
    let expected = json!({"containers": [
        {"name": "a", "image": "2", "ports": [{"containerPort": 80, "protocol": "TCP"}], "terminationMessagePath": "/x"},
        {"name": "side", "image": "s"}]});
    check(&target, &Value::Null, &live, &expected);
}

#[test]
fn empty_fields_and_the_order_of_named_items_are_no_change() {
    let live = json!({"list": [{"name": "a"}, {"name": "b"}]});
    let target = json!({"labels": {}, "list": [{"name": "b"}, {"name": "a"}]});
    check(&target, &Value::Null, &live, &live);
}

#[test]
fn lists_without_keys_are_replaced_but_keep_defaults_of_their_items() {
    check(
        &json!({"args": ["x"], "rules": [{"host": "h"}]}),
        &Value::Null,
        &json!({"args": ["a", "b"], "rules": [{"host": "g", "pathType": "Prefix"}]}),
        &json!({"args": ["x"], "rules": [{"host": "h", "pathType": "Prefix"}]}),
    );
}

#[test]
fn a_merge_patch_leads_from_one_to_the_other() {
    let from = json!({"a": 1, "b": {"c": 1, "d": 2}, "l": [1]});
    let to = json!({"b": {"c": 1, "e": 3}, "l": [1, 2]});
    let patch = merge_patch(&from, &to);
    assert_eq!(
        patch,
        json!({"a": null, "b": {"d": null, "e": 3}, "l": [1, 2]})
    );
    let mut patched = from;
    json_patch::merge(&mut patched, &patch);
    assert_eq!(patched, to);
}
