//! Argo CD in other places than the usual one.

use crate::{
    application::{Demo, automated, manual},
    clusters::shared,
    trial::{Trial, cluster_only, the_error, with_token},
};

#[test]
fn an_argo_cd_of_another_namespace_root_path_and_certificate_is_acted_on() {
    let Some(shared) = shared() else { return };
    let demo = Demo {
        shared: &shared,
        name: "elsewhere",
        namespace: "gitops",
    };
    let revision = demo.make(&manual());
    let trial = Trial::start(&with_token(&shared.kubeconfig(), shared.secured()));
    trial.wait_for("elsewhere", "OutOfSync", |status| {
        status["sync"]["status"] == "SYNC_STATUS_OUT_OF_SYNC"
    });
    let synced = trial.cli(&["app", "sync", "elsewhere"]).expect_success();
    assert!(synced.contains("elsewhere: Succeeded"), "{synced}");
    let application = trial.wait_for_commit("elsewhere", &revision);
    assert_eq!(application["namespace"], "gitops");
    assert_eq!(application["status"]["commit"]["message"], "One of them");
    let tree = trial.cli(&["app", "tree", "elsewhere"]).expect_success();
    assert!(tree.contains("ReplicaSet"), "{tree}");
}

#[test]
fn two_argo_cds_of_one_cluster_are_seen_and_acted_on_by_one_runtime() {
    let Some(shared) = shared() else { return };
    let [one, two] = [("left", "argocd"), ("right", "gitops")].map(|(name, namespace)| Demo {
        shared: &shared,
        name,
        namespace,
    });
    let (left, right) = (one.make(&automated()), two.make(&manual()));
    for flags in [
        cluster_only(&shared.kubeconfig()),
        with_token(&shared.kubeconfig(), shared.plain()),
    ] {
        let trial = Trial::start(&flags);
        trial.wait_for_commit("left", &left);
        trial.wait_for("right", "there", |status| {
            !status["sync"]["status"].is_null()
        });
        for name in ["left", "right"] {
            let synced = trial.cli(&["app", "sync", name]).expect_success();
            assert!(synced.contains("Succeeded"), "{synced}");
        }
        trial.wait_for_commit("right", &right);
    }
}

#[test]
fn insufficient_argo_cd_token_is_not_bypassed() {
    let Some(shared) = shared() else { return };
    let demo = Demo {
        shared: &shared,
        name: "forbidden",
        namespace: "argocd",
    };
    demo.make(&manual());
    let mut argocd = shared.plain().clone();
    argocd.admin_token_file = argocd.reader_token_file.clone();
    let trial = Trial::start(&with_token(&shared.kubeconfig(), &argocd));
    trial.wait_for("forbidden", "there", |status| {
        !status["sync"]["status"].is_null()
    });
    let error = the_error(&trial.cli(&["app", "sync", "forbidden"]));
    assert!(error.contains("its token may not"), "{error}");
}
