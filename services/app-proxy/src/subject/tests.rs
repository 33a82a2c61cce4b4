use causeway_argocd::application::Application;
use serde_json::{Value, json};

use super::{
    lineage::{self, Claim},
    *,
};

fn named(group: &str, kind: &str, namespace: &str, name: &str) -> ResourceName {
    let [group, kind, namespace, name] = [group, kind, namespace, name].map(str::to_owned);
    ResourceName {
        group,
        kind,
        namespace,
        name,
        uid: None,
    }
}

fn claim(namespace: Option<&str>, name: &str) -> Claim {
    Claim {
        namespace: namespace.map(str::to_owned),
        name: name.to_owned(),
    }
}

fn tracked(annotation: &str, name: &ResourceName) -> Option<Claim> {
    let annotations = json!({"argocd.argoproj.io/tracking-id": annotation});
    let object = json!({"metadata": {"annotations": annotations}});
    Lineage::of(name, &object).tracked
}

#[test]
fn a_mark_counts_where_it_is_about_this_very_object() {
    let map = named("", "ConfigMap", "team-a", "settings");
    let deployment = named("apps", "Deployment", "team-a", "web");
    let space = named("", "Namespace", "", "team-a");
    for (annotation, name, expected) in [
        (
            "web:/ConfigMap:team-a/settings",
            &map,
            Some(claim(None, "web")),
        ),
        (
            "web:apps/Deployment:team-a/web",
            &deployment,
            Some(claim(None, "web")),
        ),
        (
            "team-a_web:apps/Deployment:team-a/web",
            &deployment,
            Some(claim(Some("team-a"), "web")),
        ),
        (
            "web:/Namespace:other/team-a",
            &space,
            Some(claim(None, "web")),
        ),
        ("web:/ConfigMap:team-b/settings", &map, None),
        ("web:/ConfigMap:team-a/other", &map, None),
        ("web:/Secret:team-a/settings", &map, None),
        ("web:apps/ConfigMap:team-a/settings", &map, None),
        ("web", &map, None),
        ("", &map, None),
        (":/ConfigMap:team-a/settings", &map, None),
        ("../web:/ConfigMap:team-a/settings", &map, None),
        ("a_b_c:/ConfigMap:team-a/settings", &map, None),
    ] {
        assert_eq!(tracked(annotation, name), expected, "{annotation}");
    }
}

#[test]
fn the_owner_is_the_one_that_manages_an_object_or_else_the_first() {
    let owner = |uid: &str, controller: Value| {
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": uid,
            "controller": controller})
    };
    let of = |owners: Value| {
        let object = json!({"metadata": {"ownerReferences": owners}});
        let lineage = Lineage::of(&named("", "Pod", "team-a", "web-1-x"), &object);
        lineage.owner.map(|owner| (owner.group, owner.uid))
    };
    let (a, b) = (owner("a", json!(false)), owner("b", json!(true)));
    let apps = |uid: &str| Some(("apps".to_owned(), uid.to_owned()));
    assert_eq!(of(json!([a, b])), apps("b"));
    assert_eq!(of(json!([a])), apps("a"));
    for odd in [
        json!([]),
        json!("x"),
        json!([{"kind": "ReplicaSet", "name": "../x", "uid": "a"}]),
        json!([{"kind": "ReplicaSet", "name": "x"}]),
    ] {
        assert_eq!(of(odd), None);
    }
}

#[test]
fn an_application_manages_what_its_status_lists() {
    let application = Application::from_value(json!({
        "metadata": {"name": "web", "namespace": "argocd", "uid": "u", "resourceVersion": "1"},
        "status": {"resources": [{"group": "apps", "kind": "Deployment", "namespace": "team-a", "name": "web"}]},
    }))
    .unwrap();
    for (name, expected) in [
        (named("apps", "Deployment", "team-a", "web"), true),
        (named("apps", "Deployment", "team-b", "web"), false),
        (named("", "Deployment", "team-a", "web"), false),
    ] {
        assert_eq!(lineage::manages(&application, &name), expected, "{name}");
    }
}

#[test]
fn a_mark_counts_only_where_the_application_knows_the_object() {
    let application = Application::from_value(json!({
        "metadata": {"name": "web", "namespace": "argocd", "uid": "u", "resourceVersion": "1"},
        "spec": {"destination": {"namespace": "shop"}},
        "status": {"resources": [{"kind": "ConfigMap", "namespace": "extra", "name": "listed"}]},
    }))
    .unwrap();
    let hook = json!({"argocd.argoproj.io/hook": "PreSync"});
    let chart = json!({"helm.sh/hook": "pre-install"});
    for (annotations, namespace, name, expected) in [
        (json!({}), "extra", "listed", true),
        (json!({}), "shop", "unlisted", false),
        (json!({}), "bank", "unlisted", false),
        (hook.clone(), "shop", "job", true),
        (chart, "extra", "job", true),
        (hook, "bank", "job", false),
    ] {
        let named = named("", "ConfigMap", namespace, name);
        let object = json!({"metadata": {"annotations": annotations}});
        let lineage = Lineage::of(&named, &object);
        let confirmed = lineage.is_confirmed(&application, &named);
        assert_eq!(confirmed, expected, "{named} {object}");
    }
}

#[test]
fn names_that_would_leave_their_place_in_a_path_are_none() {
    for name in ["web", "system:node", "a.b-c", "UPPER"] {
        assert!(is_segment(name), "{name}");
    }
    for name in [
        "",
        ".",
        "..",
        "a/b",
        "a%2fb",
        "a?b",
        "a#b",
        "a\nb",
        &"x".repeat(254),
    ] {
        assert!(!is_segment(name), "{name:?}");
    }
}
