//! A second control plane that the first one's Argo CD deploys to.

use std::path::PathBuf;

use causeway_cluster::Cluster;
use causeway_testkit::{run_with_input, wait_until_blocking};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use serde_json::{Value, json};

use crate::{
    application::Demo,
    clusters::{block_on, shared},
    stage::kubectl,
    trial::{SOON, Trial, with_token},
};

#[test]
fn an_application_of_a_managed_cluster_is_deployed_there_and_seen_here() {
    let Some(shared) = shared() else { return };
    let other = block_on(Cluster::minimal()).unwrap();
    block_on(shared.cluster.register(0, "edge", &other)).unwrap();
    let demo = Demo {
        shared: &shared,
        name: "far-away",
        namespace: "argocd",
    };
    let map = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "far-away"},
        "data": {"text": "hello"},
    });
    let revision = demo.commit(&map, "A greeting");
    demo.create_at(&json!({"name": "edge", "namespace": "default"}), &json!({}));
    let kubeconfig = reader_of(&other);
    let settings = [
        (
            "CAUSEWAY_MANAGED_CLUSTERS",
            format!("edge={}", kubeconfig.display()),
        ),
        ("CAUSEWAY_KINDS", "configmaps/v1".to_owned()),
    ];
    let flags = with_token(&shared.kubeconfig(), shared.plain());
    let trial = Trial::start_with(&flags, &settings);
    trial.wait_for("far-away", "OutOfSync", |status| {
        status["sync"]["status"] == "SYNC_STATUS_OUT_OF_SYNC"
    });
    let synced = trial.cli(&["app", "sync", "far-away"]).expect_success();
    assert!(synced.contains("far-away: Succeeded"), "{synced}");
    let application = trial.wait_for_commit("far-away", &revision);
    assert_eq!(application["spec"]["destination"]["name"], "edge");
    let deployed = block_on(async {
        let maps: Api<ConfigMap> = Api::default_namespaced(other.client());
        maps.get("far-away").await
    });
    assert_eq!(deployed.unwrap().data.unwrap()["text"], "hello");
    what_it_made_there_is_seen_here(&trial);
    block_on(other.stop());
}

/// Credentials that may do no more than read what is reported.
fn reader_of(cluster: &Cluster) -> PathBuf {
    let (api, reader) = ("rbac.authorization.k8s.io", "causeway-reader");
    let rules = json!([
        {"apiGroups": [""], "resources": ["configmaps", "events"], "verbs": ["list", "watch"]},
        {"apiGroups": ["apps"], "resources": ["replicasets"], "verbs": ["list", "watch"]},
        {"apiGroups": ["argoproj.io"], "resources": ["rollouts", "analysisruns", "workflows"], "verbs": ["list", "watch"]},
        {"apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"], "verbs": ["get"]},
    ]);
    let role = json!({
        "apiVersion": format!("{api}/v1"), "kind": "ClusterRole", "metadata": {"name": reader}, "rules": rules,
    });
    let binding = json!({
        "apiVersion": format!("{api}/v1"), "kind": "ClusterRoleBinding", "metadata": {"name": reader},
        "roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": reader},
        "subjects": [{"apiGroup": api, "kind": "User", "name": reader}],
    });
    let both = json!({"apiVersion": "v1", "kind": "List", "items": [role, binding]});
    let mut apply = kubectl(cluster, &["apply", "-f", "-"]);
    run_with_input(&mut apply, &both.to_string()).expect_success();
    cluster.kubeconfig_of(reader, None).unwrap()
}

/// It belongs to the application, though that is in another cluster, and its manifest is shown.
fn what_it_made_there_is_seen_here(trial: &Trial) {
    let list = ["resource", "list", "configmaps", "far-away", "-o", "json"];
    wait_until_blocking("the object of the managed cluster", SOON, || {
        let listed = trial.cli(&list).expect_success();
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let found = &listed["resources"][0];
        let belongs = &found["application"];
        let seen = (&found["cluster"], &belongs["namespace"], &belongs["name"]);
        if seen == (&json!("edge"), &json!("argocd"), &json!("far-away")) {
            Ok(())
        } else {
            Err(format!("{listed}\n{}", trial.lines()))
        }
    });
    let get = [
        "resource",
        "get",
        "configmaps",
        "far-away",
        "--manifest",
        "-o",
        "yaml",
    ];
    let manifest = trial.cli(&get).expect_success();
    assert!(manifest.contains("text: hello"), "{manifest}");
}
