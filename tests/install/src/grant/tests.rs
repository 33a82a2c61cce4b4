use serde_json::{Value, json};

use super::{Grant, exception, grants, unproven};
use crate::audit;

fn release() -> Vec<Value> {
    let subject = json!([{"kind": "ServiceAccount", "name": "east-proxy", "namespace": "here"}]);
    vec![
        json!({"kind": "ClusterRole", "metadata": {"name": "here-east-proxy"}, "rules": [
            {"apiGroups": [""], "resources": ["pods", "pods/log"], "verbs": ["get", "list"]},
            {"apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"], "verbs": ["get"]},
        ]}),
        json!({"kind": "ClusterRoleBinding", "subjects": subject,
            "roleRef": {"kind": "ClusterRole", "name": "here-east-proxy"}}),
        json!({"kind": "Role", "metadata": {"name": "east-find", "namespace": "argocd"}, "rules": [
            {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["list"]},
        ]}),
        json!({"kind": "RoleBinding", "metadata": {"namespace": "argocd"}, "subjects": subject,
            "roleRef": {"kind": "Role", "name": "east-find"}}),
    ]
}

fn event(verb: &str, object: &Value, code: u16) -> String {
    let event = json!({"verb": verb, "requestURI": "/", "objectRef": object,
        "user": {"username": "system:serviceaccount:here:east-proxy"}, "responseStatus": {"code": code}});
    format!("{event}\n")
}

/// What is unproven after these events.
fn after(events: &str, table: &str) -> Vec<String> {
    let granted = grants("east", "here", &release());
    unproven(&granted, &audit::parse(events), &exception::parse(table))
}

fn everything() -> String {
    let pods = json!({"resource": "pods", "namespace": "any"});
    let lines = json!({"resource": "pods", "subresource": "log", "namespace": "any"});
    let store = json!({"resource": "namespaces", "name": "kube-system"});
    let found = json!({"resource": "deployments", "apiGroup": "apps", "namespace": "argocd"});
    [
        event("get", &pods, 200),
        event("list", &pods, 200),
        event("get", &lines, 200),
        event("list", &lines, 200),
        event("get", &store, 200),
        event("list", &found, 200),
    ]
    .concat()
}

#[test]
fn each_verb_on_each_resource_is_a_grant() {
    let granted = grants("east", "here", &release());
    let shown: Vec<_> = granted.iter().map(Grant::shown).collect();
    assert_eq!(
        shown,
        [
            "*-find: list deployments.apps",
            "*-proxy: get namespaces kube-system",
            "*-proxy: get pods",
            "*-proxy: list pods",
            "*-proxy: get pods/log",
            "*-proxy: list pods/log",
        ]
    );
}

#[test]
fn all_used_grants_are_proven() {
    assert_eq!(after(&everything(), ""), Vec::<String>::new());
}

#[test]
fn grants_used_elsewhere_or_denied_are_unproven() {
    let elsewhere = everything().replace(r#""namespace":"argocd""#, r#""namespace":"gitops""#);
    let told = after(&elsewhere, "");
    assert_eq!(
        told,
        ["granted and never used: *-find: list deployments.apps"]
    );
    let other = everything().replace("kube-system", "default");
    let told = after(&other, "");
    assert_eq!(
        told,
        ["granted and never used: *-proxy: get namespaces kube-system"]
    );
    let refused = everything().replace("200", "403");
    assert_eq!(after(&refused, "").len(), 6);
}

#[test]
fn an_exception_counts_as_long_as_it_is_needed() {
    let table = "| `*-find: list deployments.apps` | only where Argo CD is found by its labels |\n";
    let without = everything().replace("deployments", "daemonsets");
    assert_eq!(after(&without, table), Vec::<String>::new());
    let told = after(&everything(), table);
    assert_eq!(
        told,
        ["used, and yet an exception: *-find: list deployments.apps"]
    );
    let stale = table.replace("deployments", "cronjobs");
    let told = after(&everything(), &stale);
    assert_eq!(
        told,
        ["exception without a grant: *-find: list cronjobs.apps"]
    );
}

#[test]
#[should_panic(expected = "not in east")]
fn binding_to_a_foreign_role_is_rejected() {
    let mut objects = release();
    objects.remove(0);
    grants("east", "here", &objects);
}
