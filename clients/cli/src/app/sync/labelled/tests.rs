use serde_json::json;

use super::*;

fn manifest(kind: &str, labels: &Value) -> proxy::StreamManifestsResponse {
    let object = json!({"kind": kind, "metadata": {"name": "web", "labels": labels}});
    proxy::StreamManifestsResponse {
        kind: kind.to_owned(),
        name: "web".to_owned(),
        desired: object.to_string().into(),
        ..proxy::StreamManifestsResponse::default()
    }
}

#[test]
fn one_label_of_several_is_enough_and_its_value_counts() {
    let manifests = [
        manifest("ConfigMap", &json!({"tier": "front"})),
        manifest("Service", &json!({"tier": "back", "team": "a"})),
        manifest("Secret", &json!({"tier": "back"})),
        manifest("Role", &Value::Null),
        // Only in the cluster.
        proxy::StreamManifestsResponse::default(),
    ];
    let kinds = |labels: &[&str]| {
        let labels: Vec<KeyValue> = labels.iter().map(|it| it.parse().unwrap()).collect();
        let found = having(&manifests, &labels).unwrap();
        found.into_iter().map(|it| it.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&["tier=front"]), ["ConfigMap"]);
    assert_eq!(kinds(&["tier=front", "team=a"]), ["ConfigMap", "Service"]);
    assert_eq!(kinds(&["tier=none"]), Vec::<String>::new());
    assert_eq!(kinds(&["role="]), Vec::<String>::new());
}
