//! `--argocd-server auto`.

use causeway_cluster::{ArgocdInstance, ArgocdOptions, Options, Scheme};
use serde_json::json;

use crate::{
    application::{Demo, manual},
    clusters::{own_node, shared},
    trial::{Trial, the_error, with_token},
};

/// All flags for an Argo CD whose address is not given.
fn without_address(kubeconfig: &std::path::Path, argocd: &ArgocdInstance) -> Vec<String> {
    let mut flags = with_token(kubeconfig, argocd);
    let server = flags.iter().position(|flag| flag == "--argocd-server");
    flags[server.unwrap() + 1] = "auto".to_owned();
    flags
}

#[test]
fn an_argo_cd_in_pods_is_found_and_reached_by_a_forwarded_port() {
    let argocd = ArgocdOptions {
        scheme: Scheme::Https,
        ..ArgocdOptions::default()
    };
    let options = Options {
        argocds: vec![argocd],
        ..Options::default()
    };
    let Some(own) = own_node(options) else { return };
    let shared = own.get();
    let demo = Demo {
        shared: &shared,
        name: "found",
        namespace: "argocd",
    };
    let map = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "found"},
        "data": {"text": "hello"},
    });
    let revision = demo.commit(&map, "A greeting");
    demo.create(&manual());
    let trial = Trial::start(&without_address(&shared.kubeconfig(), shared.plain()));
    trial.wait_for("found", "OutOfSync", |status| {
        status["sync"]["status"] == "SYNC_STATUS_OUT_OF_SYNC"
    });
    let synced = trial.cli(&["app", "sync", "found"]).expect_success();
    assert!(synced.contains("found: Succeeded"), "{synced}");
    // Only Argo CD's API knows what a commit says.
    let application = trial.wait_for_commit("found", &revision);
    assert_eq!(application["status"]["commit"]["message"], "A greeting");
}

#[test]
fn argo_cd_outside_pods_is_not_found_and_the_error_names_the_flag() {
    let Some(shared) = shared() else { return };
    let flags = without_address(&shared.kubeconfig(), shared.plain());
    let error = the_error(&Trial::refused(&flags));
    assert!(error.contains("no running pod"), "{error}");
    assert!(error.contains("--argocd-server"), "{error}");
}
