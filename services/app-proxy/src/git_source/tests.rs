use super::*;

#[test]
fn an_application_of_applications_is_an_ordinary_source() {
    let resources =
        |kind: &str| json!({"status": {"resources": [{"group": "argoproj.io", "kind": kind}]}});
    let labelled = json!({"metadata": {"labels": {ENTITY: "git-source"}}});
    let mut owned = resources("Application");
    owned["metadata"] = json!({"ownerReferences": [{"kind": Kind::NAME}]});
    for (application, expected) in [
        (resources("Application"), true),
        (resources("ApplicationSet"), true),
        (resources("Rollout"), false),
        (labelled, true),
        (owned, false),
        (json!({}), false),
    ] {
        assert_eq!(is_ordinary(&application), expected, "{application}");
    }
}

#[test]
fn a_changed_spec_removes_the_fields_that_it_no_longer_has() {
    let spec = Spec {
        source_namespace: "new".to_owned(),
        ..Spec::default()
    };
    let live = json!({
        "source": {"repoURL": "x", "path": "y", "targetRevision": "main"},
        "sourceNamespace": "old", "destinations": [], "syncPolicy": {"automated": {}},
    });
    let patch = with_absent_fields(&spec, &live);
    assert_eq!(patch["sourceNamespace"], "new");
    assert_eq!(patch["syncPolicy"], Value::Null);
    assert!(patch.get("syncPolicy").is_some());
    assert_eq!(patch["source"]["targetRevision"], Value::Null);
    assert!(patch["source"].get("targetRevision").is_some());
}
