use serde_json::{Value, json};

use super::*;
use crate::{content::escapes, surroundings::Surroundings};

const ARGOCD: &str = "argocd";

fn spec() -> Value {
    json!({
        "source": {"repoURL": "https://git.example.com/shop.git", "path": "apps"},
        "sourceNamespace": "shop-apps",
        "destinations": [{"server": IN_CLUSTER, "namespace": "shop"}],
    })
}

fn source_of(spec: Value) -> Object {
    let mut object = json!({
        "metadata": {"name": "shop", "namespace": ARGOCD, "uid": "u1", "creationTimestamp": "2026-01-02T00:00:00Z"},
    });
    object["spec"] = spec;
    Object::read(Kind::Causeway, &object)
}

/// The usual source after a change of its spec.
fn changed(change: impl FnOnce(&mut Value)) -> Object {
    let mut spec = spec();
    change(&mut spec);
    source_of(spec)
}

fn reason_of_spec(object: &Object) -> &'static str {
    let checked = match &object.spec {
        Ok(spec) => spec.check(&object.name, ARGOCD),
        Err(refusal) => Err(refusal.clone()),
    };
    checked.map_or_else(|refusal| refusal.reason(), |()| "Accepted")
}

fn reason_of(surroundings: &Surroundings) -> &'static str {
    let object = source_of(spec());
    let checked = surroundings.check(&object, object.spec.as_ref().unwrap());
    checked.map_or_else(|refusal| refusal.reason(), |()| "Accepted")
}

fn reasons_of_content(application: &Value, children: &[Value]) -> Vec<&'static str> {
    let object = source_of(spec());
    let found = escapes(
        &object,
        object.spec.as_ref().unwrap(),
        application,
        children,
    );
    found.iter().map(Refusal::reason).collect()
}

fn has(group: &str, kind: &str, namespace: &str) -> Value {
    json!({"status": {"resources": [{"group": group, "kind": kind, "namespace": namespace, "name": "it"}]}})
}

fn child(project: &str) -> Value {
    json!({"kind": "Application", "metadata": {"name": "web"}, "spec": {"project": project}})
}

fn set(template_project: &str, more: Value) -> Value {
    let mut set = json!({
        "kind": "ApplicationSet", "metadata": {"name": "many"},
        "spec": {"template": {"spec": {"project": template_project}}},
    });
    if let Value::Object(more) = more {
        for (field, value) in more {
            set["spec"][field] = value;
        }
    }
    set
}

fn project(name: &str, owner: &str, namespaces: &[&str]) -> Value {
    json!({
        "metadata": {"name": name, "ownerReferences": [{"uid": owner}]},
        "spec": {"sourceNamespaces": namespaces},
    })
}

#[test]
fn an_application_for_another_namespace_is_refused() {
    for kind in ["Application", "ApplicationSet"] {
        let elsewhere = has("argoproj.io", kind, ARGOCD);
        let reasons = reasons_of_content(&elsewhere, &[]);
        assert_eq!(reasons, ["ApplicationOutsideNamespace"]);
        let at_home = has("argoproj.io", kind, "shop-apps");
        assert!(reasons_of_content(&at_home, &[]).is_empty());
    }
}

#[test]
fn an_application_of_another_project_is_refused_whatever_way_it_is_written() {
    for (project, reason) in [
        ("other", "ProjectForeign"),
        ("shop-source", "ProjectForeign"),
        ("{{ .project }}", "ProjectTemplated"),
        ("default", "ProjectDefault"),
        ("", "ProjectDefault"),
        ("shop*", "ProjectPattern"),
    ] {
        let reasons = reasons_of_content(&json!({}), &[child(project)]);
        assert_eq!(reasons, [reason], "{project:?}");
    }
    assert!(reasons_of_content(&json!({}), &[child("shop")]).is_empty());
}

#[test]
fn an_application_set_that_makes_such_applications_is_refused() {
    let none = json!({});
    let generator = |project: &str| json!({"generators": [{"matrix": {"generators": [{"list": {"template": {"spec": {"project": project}}}}]}}]});
    for (set, reason) in [
        (set("other", none.clone()), "ProjectForeign"),
        (set("default", none.clone()), "ProjectDefault"),
        (set("{{path.basename}}", none.clone()), "ProjectTemplated"),
        (set("*", none.clone()), "ProjectPattern"),
        (set("shop", generator("other")), "ProjectForeign"),
        (
            set(
                "shop",
                json!({"templatePatch": "spec:\n  project: other\n"}),
            ),
            "TemplatePatchSetsProject",
        ),
    ] {
        let reasons = reasons_of_content(&json!({}), std::slice::from_ref(&set));
        assert_eq!(reasons, [reason], "{set}");
    }
    let good = [set("shop", none), set("shop", generator("shop"))];
    assert!(reasons_of_content(&json!({}), &good).is_empty());
}

#[test]
fn content_that_would_widen_its_own_rights_is_refused() {
    for (group, kind, reason) in [
        ("causeway.dev", "RestrictedGitSource", "ContainsGitSource"),
        ("codefresh.io", "RestrictedGitSource", "ContainsGitSource"),
        ("", "Secret", "ContainsSecret"),
        ("argoproj.io", "AppProject", "KindNotAllowed"),
        ("", "Namespace", "ContainsNamespace"),
        ("rbac.authorization.k8s.io", "RoleBinding", "KindNotAllowed"),
    ] {
        let reasons = reasons_of_content(&has(group, kind, "shop-apps"), &[]);
        assert_eq!(reasons, [reason], "{kind}");
    }
}

#[test]
fn a_resource_that_was_only_tried_counts_too() {
    let tried = json!({"status": {"operationState": {"syncResult": {"resources": [
        {"group": "", "kind": "Secret", "namespace": "argocd", "name": "cluster"},
    ]}}}});
    assert_eq!(reasons_of_content(&tried, &[]), ["ContainsSecret"]);
}

#[test]
fn a_symbolic_link_out_of_the_repository_is_refused() {
    let message = "rpc error: repository contains out-of-bounds symlinks. file: apps/etc";
    let status =
        json!({"status": {"conditions": [{"type": "ComparisonError", "message": message}]}});
    assert_eq!(reasons_of_content(&status, &[]), ["SymlinkEscapes"]);
}

#[test]
fn a_path_out_of_the_repository_is_refused() {
    for path in ["..", "../x", "apps/../../x", "/etc", "apps\\..\\x"] {
        let object = changed(|spec| spec["source"]["path"] = path.into());
        assert_eq!(reason_of_spec(&object), "PathEscapes", "{path}");
    }
    for path in [".", "apps", "apps/..hidden/x"] {
        let object = changed(|spec| spec["source"]["path"] = path.into());
        assert_eq!(reason_of_spec(&object), "Accepted", "{path}");
    }
}

#[test]
fn a_destination_names_its_cluster_once_and_never_reaches_argo_cd() {
    let server = IN_CLUSTER;
    for (destination, reason) in [
        (
            json!({"server": server, "name": "in-cluster", "namespace": "shop"}),
            "DestinationAmbiguous",
        ),
        (json!({"namespace": "shop"}), "DestinationAmbiguous"),
        (json!({"server": server}), "FieldMissing"),
        (
            json!({"server": server, "namespace": "argocd"}),
            "DestinationReachesArgocd",
        ),
        (
            json!({"server": "*", "namespace": "argo*"}),
            "DestinationReachesArgocd",
        ),
        (
            json!({"name": "in-*", "namespace": "*"}),
            "DestinationReachesArgocd",
        ),
        (
            json!({"server": server, "namespace": "{argocd,shop}"}),
            "DestinationReachesArgocd",
        ),
        (
            json!({"server": server, "namespace": "!argocd"}),
            "PatternInvalid",
        ),
        (json!({"server": server, "namespace": "shop-*"}), "Accepted"),
        (
            json!({"server": "https://west", "namespace": "*"}),
            "Accepted",
        ),
    ] {
        let object = changed(|spec| spec["destinations"] = json!([destination]));
        assert_eq!(reason_of_spec(&object), reason, "{destination}");
    }
}

#[test]
fn a_spec_that_cannot_be_meant_is_refused_with_its_field() {
    for (pointer, value, reason) in [
        ("/sourceNamespace", json!(""), "FieldMissing"),
        (
            "/sourceNamespace",
            json!("argocd"),
            "SourceNamespaceReserved",
        ),
        (
            "/sourceNamespace",
            json!("shop-*"),
            "SourceNamespaceInvalid",
        ),
        ("/destinations", json!([]), "FieldMissing"),
        ("/destinations", json!("all"), "SpecMalformed"),
        ("/source/repoURL", json!("https://x/*"), "RepositoryInvalid"),
        ("/source/path", json!(""), "FieldMissing"),
        (
            "/source",
            json!({"repoURL": "https://x/y", "path": "a", "helm": {}}),
            "SpecMalformed",
        ),
    ] {
        let object = changed(|spec| *spec.pointer_mut(pointer).unwrap() = value.clone());
        assert_eq!(reason_of_spec(&object), reason, "{pointer} {value}");
    }
    let many = vec![json!({"server": "https://x", "namespace": "y"}); 101];
    let object = changed(|spec| spec["destinations"] = many.into());
    assert_eq!(reason_of_spec(&object), "TooManyEntries");
}

#[test]
fn two_sources_cannot_have_one_namespace_and_the_first_keeps_it() {
    let mut other = source_of(spec());
    (other.name, other.uid) = ("other".to_owned(), "u2".to_owned());
    let with = |other: &Object| Surroundings {
        sources: vec![source_of(spec()), other.clone()],
        ..Surroundings::default()
    };
    other.created = "2026-01-01T00:00:00Z".to_owned();
    assert_eq!(reason_of(&with(&other)), "NamespaceClaimed");
    other.created = "2026-01-03T00:00:00Z".to_owned();
    assert_eq!(reason_of(&with(&other)), "Accepted");
    other.status = json!({"sourceNamespace": "shop-apps"});
    assert_eq!(reason_of(&with(&other)), "NamespaceClaimed");
    other.status = json!({"sourceNamespace": "elsewhere"});
    assert_eq!(reason_of(&with(&other)), "Accepted");
}

#[test]
fn a_project_that_accepts_the_namespace_is_a_way_out_and_is_refused() {
    for (patterns, reason) in [
        (&["*"][..], "NamespaceOpenToProject"),
        (&["shop-*"], "NamespaceOpenToProject"),
        (&["/shop.*/"], "NamespaceOpenToProject"),
        (&["a", "shop-apps"], "NamespaceOpenToProject"),
        (&["other"], "Accepted"),
        (&[], "Accepted"),
    ] {
        for name in ["default", "team"] {
            let surroundings = Surroundings {
                projects: vec![project(name, "", patterns)],
                ..Surroundings::default()
            };
            assert_eq!(reason_of(&surroundings), reason, "{name} {patterns:?}");
        }
    }
}

#[test]
fn objects_of_equal_name_are_refused_and_never_adopted() {
    for (name, owner, reason) in [
        ("shop", "", "ProjectNotOwned"),
        ("shop-source", "u2", "ProjectNotOwned"),
        ("shop", "u1", "Accepted"),
        ("other", "", "Accepted"),
    ] {
        let surroundings = Surroundings {
            projects: vec![project(name, owner, &[])],
            ..Surroundings::default()
        };
        assert_eq!(reason_of(&surroundings), reason, "{name} {owner}");
    }
    for (owner, reason) in [("u2", "ApplicationNotOwned"), ("u1", "Accepted")] {
        let surroundings = Surroundings {
            application: Some(project("shop", owner, &[])),
            ..Surroundings::default()
        };
        assert_eq!(reason_of(&surroundings), reason);
    }
}

#[test]
fn a_source_with_applications_cannot_move_to_another_namespace() {
    let mut object = source_of(spec());
    object.status = json!({"sourceNamespace": "old"});
    let spec = object.spec.clone().unwrap();
    let check = |left_behind| {
        let surroundings = Surroundings {
            left_behind,
            ..Surroundings::default()
        };
        surroundings.check(&object, &spec).map_err(|it| it.reason())
    };
    assert_eq!(check(1), Err("RenamedWhileInUse"));
    assert_eq!(check(0), Ok(()));
}

#[test]
fn the_projects_give_no_more_than_the_spec_says() {
    let object = source_of(spec());
    let plan = Plan::of(&object, object.spec.as_ref().unwrap());
    let source = &plan.source_project["spec"];
    assert_eq!(plan.source_project["metadata"]["name"], "shop-source");
    assert_eq!(source["sourceNamespaces"], json!([]));
    assert_eq!(
        source["destinations"],
        json!([{"server": IN_CLUSTER, "namespace": "shop-apps"}])
    );
    let allowed = source["namespaceResourceWhitelist"].as_array().unwrap();
    let kinds: Vec<&str> = allowed.iter().map(|it| text(it, "/kind")).collect();
    assert_eq!(kinds, ["Application", "ApplicationSet"]);
    let own = &plan.application_project["spec"];
    assert_eq!(own["sourceNamespaces"], json!(["shop-apps"]));
    assert_eq!(
        own["sourceRepos"],
        json!(["https://git.example.com/shop.git"])
    );
    assert_eq!(own["clusterResourceWhitelist"], json!([]));
    let denied = own["namespaceResourceBlacklist"].to_string();
    assert!(denied.contains("AppProject") && denied.contains("RestrictedGitSource"));
    assert_eq!(plan.application["spec"]["project"], "shop-source");
    for made in plan.objects() {
        assert!(is_owned_by(made, "u1"));
        assert_eq!(made["metadata"]["namespace"], ARGOCD);
    }
}

#[test]
fn the_fields_of_the_reference_are_read() {
    let object = changed(|spec| {
        spec["clusterResourceWhitelist"] = json!([{"group": "*", "kind": "*"}]);
        spec["namespaceResourceBlacklist"] = json!([{"group": "", "kind": "Secret"}]);
    });
    let spec = object.spec.unwrap();
    assert_eq!(spec.cluster_resource_allow.len(), 1);
    assert_eq!(spec.namespace_resource_deny[0].kind, "Secret");
}

#[test]
fn every_refusal_ends_with_what_to_do() {
    let refusals = [
        Refusal::RepositoryInvalid,
        Refusal::SymlinkEscapes,
        Refusal::DestinationAmbiguous { index: 0 },
        Refusal::ProjectNotOwned {
            project: "shop".to_owned(),
        },
    ];
    for refusal in refusals {
        assert!(refusal.to_string().contains("; "), "{refusal}");
        assert!(refusal.reason().starts_with(char::is_uppercase));
    }
}
