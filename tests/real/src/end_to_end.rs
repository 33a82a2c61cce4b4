//! The README's commands on a real Kubernetes and a real Argo CD.

mod access;
mod canary;
mod daily;
mod expired;
mod faults;
mod found;
mod generated;
mod managed;
mod namespaces;
mod reader;
mod refused;
mod rollouts;

use causeway_testkit::Child;

use crate::{
    application::{Demo, automated, manual},
    clusters::shared,
    trial::{SOON, Trial, cluster_only, with_token},
};

#[test]
fn a_pushed_commit_is_seen_and_acted_on_through_the_tunnel() {
    let Some(shared) = shared() else { return };
    let demo = Demo {
        shared: &shared,
        name: "pushed",
        namespace: "argocd",
    };
    let first = demo.make(&automated());
    let trial = Trial::start(&with_token(&shared.kubeconfig(), shared.plain()));
    trial.wait_for_commit("pushed", &first);
    let mut watch = Child::start(&mut trial.command(&["app", "watch", "pushed"]));
    watch.wait_for_line("the first state", SOON, |line| {
        line.contains("pushed").then_some(())
    });

    let second = demo.scale(3, "Three of them");
    trial.cli(&["app", "refresh", "pushed"]).expect_success();
    let application = trial.wait_for_commit("pushed", &second);
    let commit = &application["status"]["commit"];
    assert_eq!(commit["sha"], second.as_str(), "{application}");
    assert_eq!(commit["message"], "Three of them", "{application}");
    for step in ["Synced", "Healthy"] {
        watch.wait_for_line(step, SOON, |line| {
            (line.contains(step) && line.contains(&second[..7])).then_some(())
        });
    }

    let synced = trial.cli(&["app", "sync", "pushed"]).expect_success();
    assert!(synced.contains("pushed: Succeeded"), "{synced}");
    let tree = trial.cli(&["app", "tree", "pushed"]).expect_success();
    assert!(
        tree.contains("Deployment") && tree.contains("Pod"),
        "{tree}"
    );
    let history = trial.cli(&["app", "history", "pushed"]).expect_success();
    assert!(
        history.contains(&second[..7]) && history.contains("Three of them"),
        "{history}"
    );
    let listed = trial.cli(&["app", "list"]).expect_success();
    assert!(listed.contains("pushed"), "{listed}");
    trial.cli(&["status"]).expect_success();
}

#[test]
fn sync_without_token_patches_the_application() {
    let Some(shared) = shared() else { return };
    let demo = Demo {
        shared: &shared,
        name: "tokenless",
        namespace: "argocd",
    };
    let first = demo.make(&manual());
    let trial = Trial::start(&cluster_only(&shared.kubeconfig()));
    trial.wait_for("tokenless", "OutOfSync", |status| {
        status["sync"]["status"] == "SYNC_STATUS_OUT_OF_SYNC"
    });
    let synced = trial.cli(&["app", "sync", "tokenless"]).expect_success();
    assert!(synced.contains("tokenless: Succeeded"), "{synced}");
    trial.wait_for_commit("tokenless", &first);

    let second = demo.scale(2, "Two of them");
    trial.cli(&["app", "refresh", "tokenless"]).expect_success();
    trial.wait_for("tokenless", "OutOfSync at the second commit", |status| {
        status["sync"]["status"] == "SYNC_STATUS_OUT_OF_SYNC"
            && status["sync"]["revisions"][0] == second.as_str()
    });
    let synced = trial.cli(&["app", "sync", "tokenless"]).expect_success();
    assert!(synced.contains("tokenless: Succeeded"), "{synced}");
    trial.wait_for_commit("tokenless", &second);
}

#[test]
fn the_same_request_twice_has_one_effect() {
    let Some(shared) = shared() else { return };
    let demo = Demo {
        shared: &shared,
        name: "repeated",
        namespace: "argocd",
    };
    let revision = demo.make(&manual());
    for flags in [
        with_token(&shared.kubeconfig(), shared.plain()),
        cluster_only(&shared.kubeconfig()),
    ] {
        let trial = Trial::start(&flags);
        trial.wait_for("repeated", "there", |status| {
            !status["sync"]["status"].is_null()
        });
        let id = uuid::Uuid::now_v7().to_string();
        let sync = ["app", "sync", "repeated", "--request-id", &id, "-o", "json"];
        let first = trial.cli(&sync).expect_success();
        let again = trial.cli(&sync).expect_success();
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        let (first, again) = (read(&first), read(&again));
        assert_eq!(first["startedAt"], again["startedAt"]);
        assert_eq!(first["requestId"], id.as_str());
        trial.wait_for_commit("repeated", &revision);
    }
}
