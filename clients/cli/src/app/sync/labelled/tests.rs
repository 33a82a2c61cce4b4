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
fn any_of_several_labels_selects_a_resource() {
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
        let found = select_by_labels(&manifests, &labels).unwrap();
        found.into_iter().map(|it| it.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&["tier=front"]), ["ConfigMap"]);
    assert_eq!(kinds(&["tier=front", "team=a"]), ["ConfigMap", "Service"]);
    assert_eq!(kinds(&["tier=none"]), Vec::<String>::new());
    assert_eq!(kinds(&["role="]), Vec::<String>::new());
}

#[test]
fn hooks_and_unnamed_objects_are_not_selected() {
    let written = |metadata: &Value| {
        let mut object = json!({"kind": "Job", "metadata": metadata});
        object["metadata"]["labels"] = json!({"tier": "front"});
        proxy::StreamManifestsResponse {
            kind: "Job".to_owned(),
            name: metadata["name"].as_str().unwrap_or_default().to_owned(),
            desired: object.to_string().into(),
            ..proxy::StreamManifestsResponse::default()
        }
    };
    let annotated = |name: &str, key: &str, value: &str| {
        written(&json!({"name": name, "annotations": {key: value}}))
    };
    let manifests = [
        written(&json!({"generateName": "web-"})),
        annotated("before", "argocd.argoproj.io/hook", "PreSync"),
        annotated("never", "argocd.argoproj.io/hook", "Skip"),
        annotated("chart", "helm.sh/hook", "post-install"),
        annotated("definition", "helm.sh/hook", "crd-install"),
        annotated("early", "argocd.argoproj.io/sync-wave", "-1"),
        written(&json!({"name": "web"})),
    ];
    let found = select_by_labels(&manifests, &["tier=front".parse().unwrap()]).unwrap();
    let names: Vec<_> = found.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["definition", "early", "web"]);
}

#[test]
fn resources_unknown_to_argo_cd_are_named_unless_excluded() {
    let selector = |namespace: &str, name: &str| proxy::ResourceSelector {
        kind: "ConfigMap".to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        ..proxy::ResourceSelector::default()
    };
    let resource = |name: &str, sync: pb::SyncStatus| pb::Resource {
        kind: "ConfigMap".to_owned(),
        namespace: "shop".to_owned(),
        name: name.to_owned(),
        sync: sync.into(),
        ..pb::Resource::default()
    };
    let seen = [
        resource("old", pb::SyncStatus::Synced),
        resource("owned", pb::SyncStatus::Unspecified),
    ];
    let found = [
        selector("shop", "old"),
        selector("", "old"),
        selector("bank", "old"),
        selector("shop", "owned"),
        selector("shop", "new"),
    ];
    let named = |choices: &[&str]| {
        let choices: Vec<Resource> = choices.iter().map(|it| it.parse().unwrap()).collect();
        unseen(&found, &choices, &seen)
    };
    let all = [
        ":ConfigMap:bank/old",
        ":ConfigMap:shop/owned",
        ":ConfigMap:shop/new",
    ];
    assert_eq!(named(&[]), all);
    assert_eq!(named(&[":ConfigMap:shop/new"]), all);
    assert_eq!(named(&["!:ConfigMap:shop/*"]), [":ConfigMap:bank/old"]);
}

#[test]
fn the_message_names_the_next_step_and_few_of_many_resources() {
    let names = |number: usize| {
        (0..number)
            .map(|it| format!(":Secret:{it}"))
            .collect::<Vec<_>>()
    };
    let message = unseen_message("web", &names(1), None);
    assert!(message.contains("count :Secret:0 among"), "{message}");
    assert!(message.contains("'causeway app refresh web'"), "{message}");
    let message = unseen_message("web", &names(7), Some("v2"));
    assert!(message.contains(":Secret:4 and 2 more among"), "{message}");
    assert!(
        message.contains("'causeway app sync web --revision v2'"),
        "{message}"
    );
}
