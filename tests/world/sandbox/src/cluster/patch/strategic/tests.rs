use serde_json::{Value, json};

use super::{super::super::resource::builtin, super::super::shape::Shape, merge};

fn check(object: &Value, change: &Value, expected: &Value) {
    let resources = builtin();
    let deployment = resources
        .iter()
        .find(|resource| resource.plural == "deployments")
        .unwrap();
    let mut result = object.clone();
    merge(&mut result, change, Shape::root(deployment, "v1")).unwrap();
    assert_eq!(&result, expected, "change {change}");
}

fn containers(list: &Value) -> Value {
    json!({ "spec": { "template": { "spec": { "containers": list } } } })
}

#[test]
fn containers_merge_by_name_and_their_env_too() {
    let before = containers(&json!([
        { "name": "web", "image": "web:1", "env": [{ "name": "A", "value": "1" }, { "name": "B", "value": "2" }] },
        { "name": "side", "image": "side:1" },
    ]));
    let change = containers(
        &json!([{ "name": "web", "image": "web:2", "env": [{ "name": "A", "value": "9" }] }]),
    );
    let after = containers(&json!([
        { "name": "web", "image": "web:2", "env": [{ "name": "A", "value": "9" }, { "name": "B", "value": "2" }] },
        { "name": "side", "image": "side:1" },
    ]));
    check(&before, &change, &after);
}

#[test]
fn directives_delete_replace_and_order() {
    let before = containers(&json!([{ "name": "a" }, { "name": "b" }]));
    check(
        &before,
        &containers(&json!([{ "name": "a", "$patch": "delete" }])),
        &containers(&json!([{ "name": "b" }])),
    );
    check(
        &before,
        &containers(&json!([{ "$patch": "replace" }, { "name": "c" }])),
        &containers(&json!([{ "name": "c" }])),
    );
    let ordered = json!({ "spec": { "template": { "spec": {
        "$setElementOrder/containers": [{ "name": "c" }, { "name": "b" }, { "name": "a" }],
        "containers": [{ "name": "c" }],
    } } } });
    check(
        &before,
        &ordered,
        &containers(&json!([{ "name": "c" }, { "name": "b" }, { "name": "a" }])),
    );
}

#[test]
fn nulls_remove_and_plain_lists_are_replaced() {
    let before = json!({ "metadata": { "labels": { "a": "1", "b": "2" }, "finalizers": ["x", "y"] }, "spec": { "args": [1, 2] } });
    let change = json!({ "metadata": { "labels": { "a": null }, "$deleteFromPrimitiveList/finalizers": ["x"], "finalizers": ["z"] }, "spec": { "args": [3] } });
    let after = json!({ "metadata": { "labels": { "b": "2" }, "finalizers": ["y", "z"] }, "spec": { "args": [3] } });
    check(&before, &change, &after);
}

#[test]
fn conditions_merge_by_type_and_ports_by_number() {
    check(
        &json!({ "status": { "conditions": [{ "type": "A", "status": "False" }, { "type": "B", "status": "True" }] } }),
        &json!({ "status": { "conditions": [{ "type": "A", "status": "True" }] } }),
        &json!({ "status": { "conditions": [{ "type": "A", "status": "True" }, { "type": "B", "status": "True" }] } }),
    );
    check(
        &containers(&json!([{ "name": "web", "ports": [{ "containerPort": 80 }] }])),
        &containers(&json!([{ "name": "web", "ports": [{ "containerPort": 81 }] }])),
        &containers(
            &json!([{ "name": "web", "ports": [{ "containerPort": 80 }, { "containerPort": 81 }] }]),
        ),
    );
}
