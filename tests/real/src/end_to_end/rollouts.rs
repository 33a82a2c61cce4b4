//! What is asked of rollouts, and what the real controller makes of it.

use causeway_testkit::wait_until_blocking;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    application::{Demo, manual},
    clusters::{Shared, block_on, shared},
    trial::{SOON, Trial, with_token},
};

const NAME: &str = "verbs";

fn rollout() -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Rollout",
        "metadata": {"name": NAME},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": NAME}},
            "strategy": {"canary": {"steps": [{"setWeight": 50}, {"pause": {}}, {"pause": {}}]}},
            "template": {
                "metadata": {"labels": {"app": NAME}},
                "spec": {"containers": [{"name": "main", "image": "registry.example/main:1"}]},
            },
        },
    })
}

/// Waits until the live object is as wanted.
fn until(shared: &Shared<'_>, what: &str, wanted: impl Fn(&Value) -> bool) {
    let api = shared.api("Rollout", NAME);
    wait_until_blocking(what, SOON, || {
        let live = block_on(api.get(NAME)).map_err(|error| error.to_string())?;
        if wanted(&live.data) {
            Ok(())
        } else {
            Err(live.data.to_string())
        }
    });
}

fn waits_at(step: u64) -> impl Fn(&Value) -> bool {
    move |live| {
        live["status"]["currentStepIndex"] == step
            && live["status"]["pauseConditions"].is_array()
            && live["status"]["controllerPause"] == true
    }
}

fn is_whole(image: &str) -> impl Fn(&Value) -> bool {
    let image = format!("registry.example/main:{image}");
    move |live| {
        live["status"]["phase"] == "Healthy"
            && live["status"]["stableRS"] == live["status"]["currentPodHash"]
            && live["spec"]["template"]["spec"]["containers"][0]["image"] == *image
    }
}

fn act(trial: &Trial, words: &[&str]) -> String {
    let words = [&["rollout"], words].concat();
    trial.cli(&words).expect_success()
}

fn status_is(trial: &Trial, code: i32, words: &str) {
    wait_until_blocking("the reported status", SOON, || {
        let told = trial.cli(&["rollout", "status", NAME, "--watch=false"]);
        if told.code() == code && told.stdout.contains(words) {
            Ok(())
        } else {
            Err(format!("{told:?}"))
        }
    });
}

#[test]
fn verbs_have_their_effect_on_a_rollout_once() {
    let Some(shared) = shared() else { return };
    let demo = Demo {
        shared: &shared,
        name: NAME,
        namespace: "argocd",
    };
    let first = demo.commit(&rollout(), "The first image");
    demo.create(&manual());
    let trial = Trial::start(&with_token(&shared.kubeconfig(), shared.plain()));
    trial.wait_for(NAME, "compared", |status| {
        status["sync"]["revisions"][0] == first.as_str()
    });
    trial.cli(&["app", "sync", NAME]).expect_success();
    until(&shared, "the first revision", is_whole("1"));
    status_is(&trial, 0, "Healthy");

    act(&trial, &["set-image", NAME, "main=registry.example/main:2"]);
    until(&shared, "the first pause", waits_at(1));
    status_is(&trial, 0, "Paused");
    let id = Uuid::new_v4().to_string();
    let promoted = act(&trial, &["promote", NAME, "--request-id", &id]);
    assert!(promoted.contains("promoted"), "{promoted}");
    until(&shared, "the second pause", waits_at(2));
    let again = act(&trial, &["promote", NAME, "--request-id", &id]);
    assert!(again.contains("earlier request"), "{again}");
    until(&shared, "the second pause still", waits_at(2));
    act(&trial, &["promote", NAME]);
    until(&shared, "the second revision", is_whole("2"));

    act(&trial, &["set-image", NAME, "main=registry.example/main:3"]);
    until(&shared, "a pause", waits_at(1));
    act(&trial, &["abort", NAME]);
    until(&shared, "the abort", |live| {
        live["status"]["abort"] == true && live["status"]["phase"] == "Degraded"
    });
    status_is(&trial, 3, "Degraded");
    act(&trial, &["retry", NAME]);
    until(&shared, "the pause again", waits_at(1));
    act(&trial, &["promote", NAME, "--full"]);
    until(&shared, "the third revision", is_whole("3"));
    // Until then the platform may know it as it was when it was aborted.
    status_is(&trial, 0, "Healthy");
    let followed = trial.cli(&["rollout", "status", NAME, "--timeout", "2m"]);
    assert!(followed.expect_success().contains("Healthy"));

    act(&trial, &["undo", NAME, "--to-revision", "1"]);
    until(&shared, "the pause of the undo", waits_at(1));
    act(&trial, &["promote", NAME, "--full"]);
    until(&shared, "the first image", is_whole("1"));
    let same = act(&trial, &["undo", NAME, "--to-revision", "4"]);
    assert!(same.contains("is so already"), "{same}");

    act(&trial, &["pause", NAME]);
    until(&shared, "paused", |live| live["spec"]["paused"] == true);
    act(&trial, &["resume", NAME]);
    until(&shared, "resumed", |live| live["spec"]["paused"] != true);
    act(&trial, &["restart", NAME]);
    until(&shared, "restarted", |live| {
        live["status"]["restartedAt"].is_string()
    });
    let shown = act(&trial, &["get", NAME]);
    assert!(
        shown.contains("revision 4") && shown.contains("stable"),
        "{shown}"
    );
}
