//! What a runtime needs to be allowed in its cluster, and that it asks for no more.

use kube::api::{Api, DynamicObject, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

use crate::{
    application::{Demo, manual},
    clusters::{Shared, block_on, shared},
    trial::{Trial, cluster_only, the_error, with_token},
};

/// As helm/OPERATING.md says.
pub(super) fn documented() -> Value {
    json!([
        {
            "apiGroups": ["argoproj.io"],
            "resources": ["applications"],
            "verbs": ["get", "list", "watch", "patch", "delete"],
        },
        {
            "apiGroups": [""],
            "resources": ["namespaces"],
            "resourceNames": ["kube-system"],
            "verbs": ["get"],
        },
        {
            "apiGroups": ["argoproj.io"],
            "resources": ["rollouts", "analysisruns", "workflows"],
            "verbs": ["get", "list", "watch"],
        },
        {
            "apiGroups": ["argoproj.io"],
            "resources": ["applicationsets", "appprojects"],
            "verbs": ["list", "watch"],
        },
        {
            "apiGroups": ["argoproj.io"],
            "resources": ["rollouts", "rollouts/status"],
            "verbs": ["patch"],
        },
        {
            "apiGroups": ["argoproj.io"],
            "resources": ["workflows"],
            "verbs": ["create", "patch"],
        },
        {
            "apiGroups": ["argoproj.io"],
            "resources": ["workflowtemplates", "cronworkflows"],
            "verbs": ["get"],
        },
        {"apiGroups": ["apps"], "resources": ["replicasets"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resources": ["events"], "verbs": ["list", "watch"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]},
        {
            "apiGroups": ["apps"],
            "resources": ["deployments", "statefulsets", "daemonsets"],
            "verbs": ["get"],
        },
        {"apiGroups": ["batch"], "resources": ["jobs", "cronjobs"], "verbs": ["get"]},
    ])
}

fn apply(shared: &Shared<'_>, kind: &str, object: &Value) {
    let kind = GroupVersionKind::gvk("rbac.authorization.k8s.io", "v1", kind);
    let resource = ApiResource::from_gvk(&kind);
    let api: Api<DynamicObject> = Api::all_with(shared.client(), &resource);
    let name = object["metadata"]["name"].as_str().unwrap();
    let params = PatchParams::apply("test").force();
    let applied = block_on(api.patch(name, &params, &Patch::Apply(object)));
    applied.unwrap();
}

/// Lets a user do what these rules say.
pub(super) fn allow(shared: &Shared<'_>, user: &str, rules: &Value) {
    let metadata = json!({"name": user});
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": metadata,
        "rules": rules,
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": metadata,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": user},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
    });
    apply(shared, "ClusterRole", &role);
    apply(shared, "ClusterRoleBinding", &binding);
}

#[test]
fn runtime_with_documented_rights_reports_and_acts() {
    let Some(shared) = shared() else { return };
    let demo = Demo {
        shared: &shared,
        name: "allowed",
        namespace: "argocd",
    };
    let first = demo.make(&manual());
    allow(&shared, "runtime", &documented());
    let kubeconfig = shared.cluster.kubeconfig_of("runtime", None).unwrap();
    for flags in [
        cluster_only(&kubeconfig),
        with_token(&kubeconfig, shared.plain()),
    ] {
        let trial = Trial::start(&flags);
        trial.wait_for("allowed", "there", |status| {
            !status["sync"]["status"].is_null()
        });
        trial.cli(&["app", "refresh", "allowed"]).expect_success();
        let synced = trial.cli(&["app", "sync", "allowed"]).expect_success();
        assert!(synced.contains("allowed: Succeeded"), "{synced}");
        trial.wait_for_commit("allowed", &first);
        assert!(!trial.lines().contains("forbidden"), "{}", trial.lines());
    }
}

#[test]
fn runtime_without_patch_right_explains_itself_in_one_line() {
    let Some(shared) = shared() else { return };
    let demo = Demo {
        shared: &shared,
        name: "read-only",
        namespace: "argocd",
    };
    demo.make(&manual());
    let mut rules = documented();
    rules[0]["verbs"] = json!(["get", "list", "watch"]);
    allow(&shared, "reader", &rules);
    let kubeconfig = shared.cluster.kubeconfig_of("reader", None).unwrap();
    let trial = Trial::start(&cluster_only(&kubeconfig));
    trial.wait_for("read-only", "there", |status| {
        !status["sync"]["status"].is_null()
    });
    let error = the_error(&trial.cli(&["app", "sync", "read-only"]));
    assert!(error.contains("cannot patch resource"), "{error}");
}
