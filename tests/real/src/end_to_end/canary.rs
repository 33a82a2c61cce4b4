//! A Rollout that pauses and is promoted, seen live.

use causeway_testkit::{Child, wait_until_blocking};
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::{
    application::{Demo, automated},
    clusters::{Shared, block_on, shared},
    trial::{SOON, Trial, with_token},
};

fn rollout(name: &str, image: &str) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Rollout",
        "metadata": {"name": name},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": name}},
            "strategy": {"canary": {"steps": [{"setWeight": 50}, {"pause": {}}]}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "main", "image": image}]},
            },
        },
    })
}

/// What `kubectl argo rollouts promote` does.
fn promote(shared: &Shared<'_>, name: &str) {
    let api = shared.api("Rollout", name);
    let patch = Patch::Merge(json!({"status": {"pauseConditions": null}}));
    let params = PatchParams::default();
    block_on(api.patch_status(name, &params, &patch)).unwrap();
}

fn wait_for_pause(shared: &Shared<'_>, name: &str) {
    let api = shared.api("Rollout", name);
    wait_until_blocking("the pause", SOON, || {
        let rollout = block_on(api.get(name)).map_err(|error| error.to_string())?;
        if rollout.data["status"]["pauseConditions"].is_array() {
            Ok(())
        } else {
            Err(rollout.data["status"].to_string())
        }
    });
}

#[test]
fn a_canary_that_pauses_and_is_promoted_is_seen_live() {
    let Some(shared) = shared() else { return };
    let demo = Demo {
        shared: &shared,
        name: "canary",
        namespace: "argocd",
    };
    let first = demo.commit(
        &rollout("canary", "registry.example/main:1"),
        "The first image",
    );
    demo.create(&automated());
    let trial = Trial::start(&with_token(&shared.kubeconfig(), shared.plain()));
    trial.wait_for_commit("canary", &first);
    let mut watch = Child::start(&mut trial.command(&["app", "watch", "canary"]));
    watch.wait_for_line("the first state", SOON, |line| {
        line.contains("canary").then_some(())
    });

    let second = demo.commit(
        &rollout("canary", "registry.example/main:2"),
        "The second image",
    );
    trial.cli(&["app", "refresh", "canary"]).expect_success();
    trial.wait_for("canary", "Suspended at the second commit", |status| {
        status["sync"]["revisions"][0] == second.as_str()
            && status["health"]["status"] == "HEALTH_STATUS_SUSPENDED"
    });
    watch.wait_for_line("the pause", SOON, |line| {
        line.contains("Suspended").then_some(())
    });
    let tree = trial.cli(&["app", "tree", "canary"]).expect_success();
    assert!(tree.contains("Rollout"), "{tree}");

    wait_for_pause(&shared, "canary");
    promote(&shared, "canary");
    let application = trial.wait_for_commit("canary", &second);
    let images = application["status"]["images"].to_string();
    assert!(images.contains("registry.example/main:2"), "{application}");
    watch.wait_for_line("the end", SOON, |line| {
        (line.contains("Healthy") && line.contains(&second[..7])).then_some(())
    });
}
