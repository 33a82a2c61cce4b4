use causeway_git::{File, RepositoryPath};
use causeway_patch::{DocumentSelector, Value};
use serde_json::{Value as Json, json};

use super::{FileChange, PlanError, PlannedEdit, declares, file_edit, helm, manifest_edits, place};
use crate::{
    git::RepositoryError,
    outcome::{Effect, RequestIdentity},
    source::{Directory, HelmParameter, Ownership, PolicyOrder, SourceOrder},
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

fn live(source: Json) -> Json {
    let mut live = json!({ "spec": {} });
    live["spec"]["source"] = source;
    live
}

fn chart(helm: Json) -> Json {
    let mut source =
        json!({ "repoURL": "https://h/shop", "path": "charts/web", "targetRevision": "main" });
    source["helm"] = helm;
    live(source)
}

fn file(path: &str, content: &str) -> File {
    File {
        path: RepositoryPath::parse(path).unwrap(),
        content: content.as_bytes().to_vec(),
    }
}

fn shown(edit: &PlannedEdit) -> String {
    match edit {
        PlannedEdit::Value {
            path,
            at,
            operation,
            expected,
            ..
        } => format!("{path}: {at} {operation:?} was {expected}"),
        PlannedEdit::Image { path, image } => format!("{path}: {image:?}"),
    }
}

#[test]
fn a_parameter_is_changed_in_the_last_values_file_that_has_it() {
    let files = [
        file(
            "charts/web/values.yaml",
            "image:\n  tag: \"1.9\"\nreplicas: 1\n",
        ),
        file("charts/web/prod.yaml", "replicas: 2\n"),
        file("charts/web/eu.yaml", "zone: eu\n"),
    ];
    let edit = |name, value| {
        let change = FileChange::Parameter(parameter(name, value));
        file_edit(&files, &change).map(|(_, edit)| shown(&edit))
    };
    assert_eq!(
        edit("replicas", "3").unwrap(),
        "charts/web/prod.yaml: replicas Set(Number(\"3\")) was 2"
    );
    assert_eq!(
        edit("image.tag", "2").unwrap(),
        "charts/web/values.yaml: image.tag Set(String(\"2\")) was \"1.9\""
    );
    let unknown = edit("new", "x").unwrap_err().to_string();
    assert!(
        unknown.contains("--file") && unknown.contains("prod.yaml"),
        "{unknown}"
    );
}

#[test]
fn a_new_value_goes_to_the_only_values_file_of_the_application() {
    let files = [file("values.yaml", "a: 1\n"), file("prod.yaml", "b: 1\n")];
    let change = FileChange::Parameter(parameter("c.d", "true"));
    let (index, edit) = file_edit(&files, &change).unwrap();
    assert_eq!(index, 1);
    assert_eq!(shown(&edit), "prod.yaml: c.d Set(Bool(true)) was null");
    let none = file_edit(&[], &change).unwrap_err().to_string();
    assert!(none.contains("--file"), "{none}");
}

#[test]
fn value_files_are_found_beside_the_chart_at_the_root_and_in_other_sources() {
    let live = json!({ "spec": { "sources": [
        { "repoURL": "https://h/shop", "path": "charts/web", "targetRevision": "main", "helm": {
            "valueFiles": ["prod.yaml", "../base.yaml", "/common/all.yaml", "$conf/web.yaml", "https://x/y.yaml", "../../../out"],
        } },
        { "repoURL": "https://h/conf", "targetRevision": "live", "ref": "conf" },
    ] } });
    let order = SourceOrder {
        position: 1,
        parameters: vec![parameter("a", "1")],
        ..order()
    };
    let placed = place(&order, &live).unwrap();
    let files = placed
        .files
        .iter()
        .map(|it| format!("{} {} {}", it.repository, it.revision, it.path));
    assert_eq!(
        files.collect::<Vec<_>>(),
        [
            "https://h/shop main charts/web/values.yaml",
            "https://h/shop main charts/web/prod.yaml",
            "https://h/shop main charts/base.yaml",
            "https://h/shop main common/all.yaml",
            "https://h/conf live web.yaml",
        ]
    );
    assert_eq!(placed.changes.len(), 1);
    assert!(placed.manifest.is_empty());
}

#[test]
fn what_stands_in_the_manifest_is_changed_there() {
    let live = chart(json!({
        "parameters": [{ "name": "image.tag", "value": "1" }, { "name": "old", "value": "x" }],
        "valuesObject": { "zone": "eu" },
    }));
    let order = SourceOrder {
        parameters: vec![
            parameter("image.tag", "2"),
            parameter("zone", "us"),
            parameter("new", "1"),
        ],
        removed_parameters: vec!["old".to_owned()],
        revision: Some("next".to_owned()),
        ..order()
    };
    let placed = place(&order, &live).unwrap();
    let changes = placed
        .manifest
        .iter()
        .map(|(at, operation)| format!("{at} {operation:?}"));
    assert_eq!(
        changes.collect::<Vec<_>>(),
        [
            "spec.source.helm.valuesObject.zone Set(String(\"us\"))",
            "spec.source.helm.parameters[name=old] Remove",
            "spec.source.helm.parameters[name=image.tag].value Set(String(\"2\"))",
            "spec.source.targetRevision Set(String(\"next\"))",
        ]
    );
    let files = [FileChange::Parameter(parameter("new", "1"))];
    assert_eq!(placed.changes, files);
}

#[test]
fn a_chart_without_files_in_git_gets_a_parameter_in_the_manifest() {
    let live =
        live(json!({ "repoURL": "https://charts", "chart": "web", "targetRevision": "1.0.0" }));
    let order = SourceOrder {
        parameters: vec![parameter("a", "1")],
        ..order()
    };
    let placed = place(&order, &live).unwrap();
    assert!(placed.changes.is_empty());
    assert_eq!(placed.manifest.len(), 1);
    assert_eq!(placed.manifest[0].0.to_string(), "spec.source.helm");
}

#[test]
fn a_value_inside_of_a_text_of_the_manifest_is_refused_with_a_way_out() {
    let live = chart(json!({ "values": "a:\n  b: 1\n" }));
    let order = SourceOrder {
        parameters: vec![parameter("a.b", "2")],
        ..order()
    };
    let refused = place(&order, &live).unwrap_err();
    assert!(
        matches!(refused, RepositoryError::Plan(PlanError::Inline(_))),
        "{refused}"
    );
}

#[test]
fn a_kustomize_image_is_changed_where_it_stands() {
    let live = json!({
        "spec": { "source": { "repoURL": "https://h/shop", "path": "web", "targetRevision": "main",
            "kustomize": { "images": ["proxy=envoy:1"] } } },
        "status": { "sourceType": "Kustomize" },
    });
    let order = SourceOrder {
        images: vec![
            "proxy=envoy:2".to_owned(),
            "web=registry:5000/web:3".to_owned(),
        ],
        ..order()
    };
    let placed = place(&order, &live).unwrap();
    assert_eq!(
        placed.manifest[0].0.to_string(),
        "spec.source.kustomize.images"
    );
    assert_eq!(placed.files.last().unwrap().path, "web/kustomization.yaml");
    let files = [file("web/kustomization.yaml", "images: []\n")];
    let (_, edit) = file_edit(&files, &placed.changes[0]).unwrap();
    let PlannedEdit::Image { image, .. } = edit else {
        panic!("{edit:?}")
    };
    assert_eq!(image.name, "web");
    assert_eq!(image.new_name.as_deref(), Some("registry:5000/web"));
    assert_eq!(image.new_tag.as_deref(), Some("3"));
}

#[test]
fn names_of_parameters_become_paths() {
    for (name, path) in [
        ("a.b", "a.b"),
        ("a\\.b.c", "[\"a.b\"].c"),
        ("list[0].x", "list[0].x"),
        ("m[1][2]", "m[1][2]"),
    ] {
        assert_eq!(helm::path(name).unwrap().to_string(), path);
    }
    for wrong in ["", "a..b", "a[", "a[x]", ".a"] {
        assert!(helm::path(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn values_are_typed_as_helm_types_them_but_a_text_stays_a_text() {
    let typed = |value: &str, found: Option<&Value>| helm::typed(&parameter("a", value), found);
    let number = |text: &str| Value::Number(text.to_owned());
    assert_eq!(typed("3", None), number("3"));
    assert_eq!(typed("3", Some(&Value::string("2"))), Value::string("3"));
    assert_eq!(typed("true", Some(&Value::Bool(false))), Value::Bool(true));
    for text in ["1.10", "007", "+1", "v2", ""] {
        assert_eq!(typed(text, None), Value::string(text), "{text}");
    }
}

#[test]
fn a_manifest_is_found_by_kind_name_and_namespace() {
    let text = "kind: Service\nmetadata:\n  name: web\n---\nkind: Application\nmetadata:\n  name: web\n  namespace: argocd\nspec:\n  source:\n    targetRevision: main\n";
    let apps = file("apps.yaml", text);
    let web = DocumentSelector::Object {
        kind: "Application".to_owned(),
        name: "web".to_owned(),
    };
    assert!(declares(&apps, &web, "argocd"));
    assert!(!declares(&apps, &web, "other"));
    assert!(!declares(
        &file("x.yaml", "{{ template }}\n"),
        &web,
        "argocd"
    ));
    let order = SourceOrder {
        revision: Some("next".to_owned()),
        ..order()
    };
    let placed = place(&order, &chart(json!({}))).unwrap();
    let edits = manifest_edits(&apps, &web, placed.manifest).unwrap();
    assert_eq!(
        edits.iter().map(shown).collect::<Vec<_>>(),
        ["apps.yaml: spec.source.targetRevision Set(String(\"next\")) was \"main\""]
    );
}
