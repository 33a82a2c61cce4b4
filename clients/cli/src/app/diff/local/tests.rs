use serde_json::json;

use super::*;

fn live(objects: &[Value]) -> Side {
    let of = |object: &Value| (identity(object, "", &Side::new()), object.clone());
    objects.iter().map(of).collect()
}

#[test]
fn only_fields_that_the_local_manifest_sets_are_compared() {
    let held = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "uid": "1"},
        "spec": {"replicas": 2, "strategy": {"type": "RollingUpdate"}},
        "status": {"replicas": 2},
    });
    let local = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"replicas": 2},
    });
    let [cluster, disk] = pair(
        live(std::slice::from_ref(&held)),
        vec![local.clone()],
        "shop",
    );
    assert_eq!(cluster, disk, "defaults of the cluster are no difference");
    let mut changed = local;
    changed["spec"]["replicas"] = json!(3);
    let [cluster, disk] = pair(live(&[held]), vec![changed], "shop");
    assert_eq!(cluster.len(), 1);
    assert_ne!(cluster, disk);
}

#[test]
fn objects_of_one_side_alone_are_differences() {
    let object = |name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop"}});
    let [cluster, disk] = pair(live(&[object("old")]), vec![object("new")], "shop");
    let names = |side: &Side| side.keys().map(|it| it[3].clone()).collect::<Vec<_>>();
    assert_eq!(
        (names(&cluster), names(&disk)),
        (vec!["old".to_owned()], vec!["new".to_owned()])
    );
}

#[test]
fn values_of_secrets_are_never_shown() {
    let secret = |value: &str| {
        json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": "key", "namespace": "shop"}, "data": {"password": value},
        })
    };
    let [cluster, disk] = pair(
        live(&[secret("(redacted 1)")]),
        vec![secret("aHVudGVy")],
        "shop",
    );
    assert_eq!(cluster, disk);
    assert!(!format!("{disk:?}").contains("aHVudGVy"));
}

#[test]
fn documents_and_lists_are_read_and_charts_are_refused_with_the_command_that_renders_them() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n---\napiVersion: v1\nkind: List\nitems:\n\
                - {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n";
    assert_eq!(parse(text).unwrap().len(), 2);
    assert!(parse("kind: ConfigMap").is_err());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("kustomization.yaml"), "").unwrap();
    let refused = read(folder.path()).unwrap_err().to_string();
    assert!(refused.contains("kustomize build"), "{refused}");
}
