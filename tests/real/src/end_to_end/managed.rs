//! A second control plane that the first one's Argo CD deploys to.

use causeway_cluster::Cluster;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use serde_json::json;

use crate::{
    application::Demo,
    clusters::{block_on, shared},
    trial::{Trial, with_token},
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
    let trial = Trial::start(&with_token(&shared.kubeconfig(), shared.plain()));
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
    block_on(other.stop());
}
