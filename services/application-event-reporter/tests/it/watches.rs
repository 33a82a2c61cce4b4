//! Failures of the watched cluster.

use std::time::Duration;

use serde_json::json;

use crate::stage::{Stage, short_timeouts, silent_first_watch};

const APPLICATIONS: &str = "applications";

#[tokio::test]
async fn expired_watch_is_followed_by_a_list() {
    let mut stage = Stage::set().await;
    stage.create("a").await;
    stage.kube.faults().gone_410(APPLICATIONS, 1);
    stage.report().await;
    stage.converge("after a 410 at the opening").await;
    stage.kube.faults().gone_410_after(APPLICATIONS, 1);
    stage.create("b").await;
    stage.converge("the event before the 410").await;
    stage.kube.faults().clear(APPLICATIONS);
    stage.delete("a").await;
    stage.converge("after a 410 in the stream").await;
}

#[tokio::test]
async fn silent_watch_is_reopened() {
    let mut stage = Stage::set().await;
    stage.policy = short_timeouts();
    stage.client = silent_first_watch(stage.kube.client());
    stage.create("a").await;
    stage.report().await;
    stage.converge("the start").await;
    stage.create("b").await;
    stage.delete("a").await;
    stage.converge("what the mute watch kept back").await;
}

#[tokio::test]
async fn lost_watch_event_is_recovered_by_the_next_list() {
    let mut stage = Stage::set().await;
    stage.policy.relist = Duration::from_millis(400);
    stage.create("a").await;
    stage.report().await;
    stage.converge("the start").await;
    stage.kube.faults().stall_watches(APPLICATIONS);
    stage.delete("a").await;
    stage.create("b").await;
    stage.converge("what no watch said").await;
}

#[tokio::test]
async fn closed_watches_and_repeated_events_change_nothing() {
    let mut stage = Stage::set().await;
    stage.report().await;
    stage.kube.faults().duplicate_events(APPLICATIONS, 3);
    for number in 0..20 {
        stage.create(&format!("app-{number}")).await;
        stage.kube.faults().close_watches(APPLICATIONS);
    }
    stage.converge("all").await;
}

#[tokio::test]
async fn failed_cluster_requests_are_retried() {
    let mut stage = Stage::set().await;
    stage.create("a").await;
    stage.kube.faults().fail(APPLICATIONS, 2, 503);
    stage.report().await;
    stage.converge("after the refusals").await;
}

#[tokio::test]
async fn unreadable_objects_block_no_others_and_are_not_deleted() {
    let mut stage = Stage::set().await;
    stage.create("good").await;
    stage.create("turns-bad").await;
    stage.report().await;
    stage.converge("the start").await;
    let uid = stage
        .inventory
        .seen()
        .named("turns-bad")
        .unwrap()
        .report
        .uid
        .clone();
    let metadata = |name: &str| json!({"namespace": "argocd", "name": name, "uid": uid});
    for number in 0..200 {
        let bad = json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"namespace": "argocd", "name": format!("bad-{number}")},
            "spec": "not an object", "status": {"history": "yesterday"},
        });
        stage
            .kube
            .write_raw("applications.argoproj.io", bad)
            .unwrap();
    }
    let turned = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": metadata("turns-bad"), "spec": [1, 2],
    });
    stage
        .kube
        .write_raw("applications.argoproj.io", turned)
        .unwrap();
    stage.touch("good", "a").await;
    let reported = |stage: &Stage| stage.truth()["good"];
    let wanted = reported(&stage);
    let look =
        |seen: &causeway_testkit::Seen| (seen.live().get("good") == Some(&wanted)).then_some(());
    stage.inventory.until("the good one", look).await;
    stage.report().await;
    stage.create("after-restart").await;
    stage
        .inventory
        .until("the restart", |seen| {
            seen.named("after-restart").map(|_| ())
        })
        .await;
    let live = stage.inventory.seen().live();
    assert!(live.contains_key("turns-bad"), "{live:?}");
    assert_eq!(live.len(), 3);
}
