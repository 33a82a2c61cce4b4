use super::*;
use crate::argocd::compare::tests::{compared, config_map};

fn owned(kind: &str, name: &str, uid: &str, owner: &str) -> Value {
    json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "web", "uid": uid,
        "ownerReferences": [{"uid": owner}]}, "spec": {"containers": [{"image": "i:1"}]}, "status": {"phase": "Pending"}})
}

#[test]
fn children_name_their_parents_and_what_is_missing_is_there_as_such() {
    let live = [config_map("a", "1"), owned("Pod", "p", "2", "1")];
    let mut live: BTreeMap<ResourceKey, Value> = live
        .into_iter()
        .map(|value| (crate::argocd::manifest::key_of(&value).unwrap(), value))
        .collect();
    live.values_mut().next().unwrap()["metadata"]["uid"] = json!("1");
    let comparison = compared(vec![config_map("gone", "1")], Vec::new());
    let tree = tree(&comparison.resources, &live);
    let nodes = tree["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 3);
    assert_eq!(
        nodes[1]["parentRefs"],
        json!([{"kind": "ConfigMap", "namespace": "web", "name": "a", "uid": "1"}])
    );
    assert_eq!(nodes[1]["health"], json!({"status": "Progressing"}));
    assert_eq!(
        nodes[1]["info"][1],
        json!({"name": "Containers", "value": "0/1"})
    );
    assert_eq!(
        (&nodes[2]["name"], &nodes[2]["health"]),
        (&json!("gone"), &json!({"status": "Missing"}))
    );
}
