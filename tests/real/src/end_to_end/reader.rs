//! An account that may read what is reported, and no more.

use std::path::Path;

use causeway_testkit::{Finished, binary, run};
use k8s_openapi::api::{apps::v1::ReplicaSet, core::v1::Secret};
use kube::{
    Api, Client, Config,
    api::{ListParams, PostParams},
    config::{KubeConfigOptions, Kubeconfig},
};
use serde_json::json;

use crate::clusters::{block_on, shared};

fn cluster(words: &[&str], kubeconfig: &Path) -> Finished {
    let mut command = std::process::Command::new(binary());
    command
        .arg("cluster")
        .args(words)
        .args(["--account", "test-reader"])
        .env("CAUSEWAY_KUBECONFIG", kubeconfig);
    run(&mut command)
}

async fn client(kubeconfig: &Path) -> Client {
    let read = Kubeconfig::read_from(kubeconfig).unwrap();
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(read, &options).await;
    Client::try_from(config.unwrap()).unwrap()
}

#[test]
fn a_cluster_is_added_by_an_account_that_may_read_there_and_no_more_until_it_is_removed() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("edge.kubeconfig");
    let flag = out.display().to_string();
    let add = ["add", "edge", "--kind", "configmaps", "--out", &flag];
    let told = cluster(&add, &shared.kubeconfig()).expect_success();
    assert!(
        told.contains(&format!("--managed-cluster edge={flag}")),
        "{told}"
    );
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&out).unwrap());
    assert_eq!(mode & 0o777, 0o600);
    let again = cluster(&add, &shared.kubeconfig());
    assert_ne!(again.code(), 0, "{again:?}");

    block_on(async {
        let reader = client(&out).await;
        let all = ListParams::default();
        let sets: Api<ReplicaSet> = Api::all(reader.clone());
        sets.list(&all).await.unwrap();
        let secrets: Api<Secret> = Api::all(reader.clone());
        let refused = secrets.list(&all).await.unwrap_err().to_string();
        assert!(refused.contains("cannot list resource"), "{refused}");
        let maps: Api<k8s_openapi::api::core::v1::ConfigMap> = Api::default_namespaced(reader);
        maps.list(&all).await.unwrap();
        let map = serde_json::from_value(json!({"metadata": {"name": "not-mine"}})).unwrap();
        let refused = maps.create(&PostParams::default(), &map).await;
        assert!(refused.is_err());
    });

    let gone = cluster(&["remove", "--yes"], &shared.kubeconfig()).expect_success();
    assert!(
        gone.contains("ServiceAccount test-reader: deleted"),
        "{gone}"
    );
    let gone = cluster(&["remove", "--yes"], &shared.kubeconfig()).expect_success();
    assert!(
        gone.contains("ServiceAccount test-reader: not there"),
        "{gone}"
    );
}
