use causeway_argocd::application::Application;
use serde_json::{Value, json};

use super::{
    Automated, Claim, Directory, HelmParameter, Owner, Ownership, PolicyOrder, SourceError,
    SourceOrder, claimed_by,
};
use crate::{
    outcome::{Effect, RequestIdentity},
    sync::Mode,
};

fn order() -> SourceOrder {
    SourceOrder {
        asked: RequestIdentity {
            id: "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001".parse().unwrap(),
            digest: String::new(),
            effect: Effect::Change,
        },
        position: 0,
        revision: None,
        parameters: Vec::new(),
        removed_parameters: Vec::new(),
        value_files: Vec::new(),
        images: Vec::new(),
        removed_images: Vec::new(),
        directory: Directory::default(),
        policy: PolicyOrder::default(),
        ownership: Ownership::Respected,
        mode: Mode::Apply,
    }
}

fn parameter(name: &str, value: &str) -> HelmParameter {
    HelmParameter {
        name: name.to_owned(),
        value: value.to_owned(),
        force_string: false,
    }
}

fn of(kind: &str, source: &Value) -> Value {
    json!({"spec": {"source": source}, "status": {"sourceType": kind}})
}

#[test]
fn the_sync_policy_of_an_application_with_several_sources_changes_without_naming_one() {
    let order = SourceOrder {
        policy: PolicyOrder {
            automated: Some(Automated::Enabled),
            ..PolicyOrder::default()
        },
        ..order()
    };
    let live = json!({"spec": {"sources": [{"repoURL": "a"}, {"repoURL": "b"}]}});
    let changed = order.changed(&live, None).unwrap();
    assert_eq!(changed.fields, ["spec.syncPolicy.automated"]);
    let spec = json!({"syncPolicy": {"automated": {}}});
    assert_eq!(changed.patch["spec"], spec);
}

#[test]
fn parameters_and_revisions_take_the_place_of_those_that_there_are() {
    let order = SourceOrder {
        revision: Some("v2".to_owned()),
        parameters: vec![parameter("image.tag", "2"), parameter("replicas", "3")],
        removed_parameters: vec!["debug".to_owned(), "absent".to_owned()],
        value_files: vec!["prod.yaml".to_owned()],
        ..order()
    };
    let held = json!([
        {"name": "image.tag", "value": "1"},
        {"name": "debug", "value": "true"},
        {"name": "host", "value": "h"},
    ]);
    let source = json!({"repoURL": "r", "targetRevision": "main", "helm": {"parameters": held, "releaseName": "x"}});
    let changed = order.changed(&of("Helm", &source), None).unwrap();
    assert_eq!(
        changed.patch["spec"]["source"],
        json!({
            "repoURL": "r", "targetRevision": "v2",
            "helm": {
                "releaseName": "x", "valueFiles": ["prod.yaml"],
                "parameters": [
                    {"name": "image.tag", "value": "2"},
                    {"name": "host", "value": "h"},
                    {"name": "replicas", "value": "3"},
                ],
            },
        })
    );
    assert_eq!(
        changed.fields,
        [
            "spec.source.targetRevision",
            "spec.source.helm.parameters[image.tag]",
            "spec.source.helm.parameters[replicas]",
            "spec.source.helm.parameters[debug]",
            "spec.source.helm.valueFiles",
        ]
    );
    let again = of("Helm", &changed.patch["spec"]["source"]);
    assert!(order.changed(&again, None).unwrap().fields.is_empty());
}

#[test]
fn images_are_one_by_their_names() {
    for (held, given, expected) in [
        (json!(["nginx:1"]), "nginx:2", json!(["nginx:2"])),
        (
            json!(["nginx:1"]),
            "nginx@sha256:a",
            json!(["nginx@sha256:a"]),
        ),
        (
            json!(["web=nginx:1"]),
            "web=nginx:2",
            json!(["web=nginx:2"]),
        ),
        (
            json!(["web=nginx:1"]),
            "nginx:2",
            json!(["web=nginx:1", "nginx:2"]),
        ),
        (
            json!(["reg:5000/a:1"]),
            "reg:5000/a:2",
            json!(["reg:5000/a:2"]),
        ),
        (
            json!(["reg:5000/a:1"]),
            "reg:5000/b:2",
            json!(["reg:5000/a:1", "reg:5000/b:2"]),
        ),
        (Value::Null, "nginx:2", json!(["nginx:2"])),
    ] {
        let order = SourceOrder {
            images: vec![given.to_owned()],
            ..order()
        };
        let live = of("Kustomize", &json!({"kustomize": {"images": held}}));
        let changed = order.changed(&live, None).unwrap();
        let images = &changed.patch["spec"]["source"]["kustomize"]["images"];
        assert_eq!(*images, expected, "{given}");
    }
    let order = SourceOrder {
        removed_images: vec!["nginx".to_owned()],
        ..order()
    };
    let live = of(
        "Kustomize",
        &json!({"kustomize": {"images": ["nginx:1", "web=nginx"]}}),
    );
    let changed = order.changed(&live, None).unwrap();
    let images = &changed.patch["spec"]["source"]["kustomize"]["images"];
    assert_eq!(*images, json!(["web=nginx"]));
}

#[test]
fn one_of_several_sources_is_named_and_the_others_stay() {
    let live = json!({"spec": {"sources": [{"repoURL": "a"}, {"repoURL": "b"}]}});
    let order = |position| SourceOrder {
        position,
        revision: Some("v2".to_owned()),
        ..order()
    };
    let changed = order(2).changed(&live, None).unwrap();
    let sources = json!([{"repoURL": "a"}, {"repoURL": "b", "targetRevision": "v2"}]);
    assert_eq!(changed.patch["spec"]["sources"], sources);
    assert_eq!(changed.fields, ["spec.sources[1].targetRevision"]);
    assert_eq!(order(0).changed(&live, None), Err(SourceError::Several(2)));
    assert!(order(3).changed(&live, None).is_err());
    assert!(order(2).changed(&of("", &json!({})), None).is_err());
}

#[test]
fn settings_of_another_tool_are_refused() {
    let helm = SourceOrder {
        parameters: vec![parameter("a", "b")],
        ..order()
    };
    let directory = SourceOrder {
        directory: Directory {
            recurse: Some(true),
            ..Directory::default()
        },
        ..order()
    };
    let source = json!({"path": "web"});
    assert!(helm.changed(&of("Directory", &source), None).is_err());
    assert!(helm.changed(&of("", &source), None).is_ok());
    assert!(directory.changed(&of("Helm", &source), None).is_err());
    assert!(directory.changed(&of("Directory", &source), None).is_ok());
}

#[test]
fn what_git_owns_is_changed_by_force_alone_and_the_fields_are_named() {
    let parent = causeway_argocd::rest::ApplicationName {
        namespace: "argocd".to_owned(),
        name: "apps".to_owned(),
        project: String::new(),
    };
    let owner = Owner::application(&parent);
    let respected = SourceOrder {
        revision: Some("v2".to_owned()),
        ..order()
    };
    let live = of("Directory", &json!({"targetRevision": "main"}));
    let told = respected
        .changed(&live, Some(&owner))
        .unwrap_err()
        .to_string();
    assert!(told.contains("application argocd/apps"), "{told}");
    assert!(told.contains("spec.source.targetRevision"), "{told}");
    let forced = SourceOrder {
        ownership: Ownership::Overridden,
        ..respected.clone()
    };
    assert!(forced.changed(&live, Some(&owner)).is_ok());
    // What is so already is nothing to overwrite.
    let same = of("Directory", &json!({"targetRevision": "v2"}));
    assert!(respected.changed(&same, Some(&owner)).is_ok());
}

fn claim(metadata: &Value) -> Claim {
    let mut object = json!({"metadata": {
        "namespace": "argocd", "name": "web", "uid": "u", "resourceVersion": "1",
    }});
    for (field, value) in metadata.as_object().unwrap() {
        object["metadata"][field] = value.clone();
    }
    let application = Application::from_value(object.clone()).unwrap();
    claimed_by(&application, &object)
}

#[test]
fn owners_are_known_by_their_marks() {
    let tracked = |text: &str| json!({"annotations": {"argocd.argoproj.io/tracking-id": text}});
    let owned = |metadata: &Value| match claim(metadata) {
        Claim::Certain(owner) => owner.to_string(),
        Claim::Ask(name) => format!("ask {name}"),
        Claim::Unowned => "nobody".to_owned(),
    };
    for (metadata, expected) in [
        (
            tracked("apps:argoproj.io/Application:argocd/web"),
            "application argocd/apps",
        ),
        (
            tracked("team_apps:argoproj.io/Application:argocd/web"),
            "application team/apps",
        ),
        (
            tracked("apps:argoproj.io/Application:argocd/other"),
            "nobody",
        ),
        (tracked("apps:apps/Deployment:argocd/web"), "nobody"),
        (
            json!({"labels": {"app.kubernetes.io/instance": "apps"}}),
            "ask argocd/apps",
        ),
        (
            json!({"ownerReferences": [{"kind": "ApplicationSet", "name": "all"}]}),
            "ApplicationSet argocd/all",
        ),
        (
            json!({"ownerReferences": [{"kind": "Other", "name": "all"}]}),
            "nobody",
        ),
        (json!({}), "nobody"),
    ] {
        assert_eq!(owned(&metadata), expected, "{metadata}");
    }
}
