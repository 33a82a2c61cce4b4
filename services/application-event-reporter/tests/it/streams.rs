//! The stream to the inventory: content, timing, and recovery after a loss.

use causeway_proto::inventory::v1 as pb;
use causeway_testkit::Manners;
use serde_json::json;

use crate::stage::Stage;

#[tokio::test]
async fn initial_objects_and_changes_are_reported() {
    let mut stage = Stage::set().await;
    stage.create("before").await;
    stage.report().await;
    stage.converge("the object from before").await;
    stage.create("later").await;
    stage.touch("before", "a").await;
    stage.converge("the later changes").await;
    stage.delete("before").await;
    stage.converge("the deletion").await;
}

#[tokio::test]
async fn missed_deletions_are_found_by_the_list() {
    let mut stage = Stage::set().await;
    stage.create("stays").await;
    stage.create("goes").await;
    stage.report().await;
    stage.converge("the start").await;
    stage.crash().await;
    stage.delete("goes").await;
    stage.report().await;
    stage.converge("the deletion").await;
    let seen = stage.inventory.seen();
    let gone = seen.named("goes").unwrap().report.change.clone();
    let listed = pb::DeletionEvidence::Listed.into();
    assert_eq!(
        gone,
        Some(pb::report::Change::Deleted(pb::Deleted {
            evidence: listed
        }))
    );
}

#[tokio::test]
async fn reused_name_is_another_object() {
    let mut stage = Stage::set().await;
    stage.create("web").await;
    stage.report().await;
    stage.converge("the first life").await;
    let first = stage
        .inventory
        .seen()
        .named("web")
        .unwrap()
        .report
        .uid
        .clone();
    stage.delete("web").await;
    stage.create("web").await;
    stage.converge("the second life").await;
    stage
        .inventory
        .until("the end of the first life", |seen| {
            seen.objects[&first].state().is_none().then_some(())
        })
        .await;
}

#[tokio::test]
async fn only_what_differs_is_sent_after_a_restart() {
    let mut stage = Stage::set().await;
    for number in 0..30 {
        stage.create(&format!("app-{number}")).await;
    }
    stage.report().await;
    stage.converge("the start").await;
    stage.crash().await;
    stage.touch("app-7", "a").await;
    let before = stage.inventory.seen().reports.len();
    stage.report().await;
    stage.converge("the difference").await;
    let later: Vec<String> = {
        let seen = stage.inventory.seen();
        seen.reports[before..]
            .iter()
            .map(|report| report.name.clone())
            .collect()
    };
    assert_eq!(later, ["app-7"]);
}

#[tokio::test]
async fn ended_stream_is_reopened_without_loss() {
    let mut stage = Stage::set().await;
    for number in 0..10 {
        stage.create(&format!("app-{number}")).await;
    }
    stage.report().await;
    stage.converge("the start").await;
    stage.inventory.behave(Manners::Silent);
    stage.touch("app-1", "a").await;
    stage.delete("app-2").await;
    let before = stage.inventory.seen().reports.len();
    stage
        .inventory
        .until("the reports", |seen| {
            (seen.reports.len() >= before.min(10) + 2).then_some(())
        })
        .await;
    stage.inventory.behave(Manners::Kind);
    stage.inventory.hang_up();
    stage.converge("what was not acknowledged").await;
    assert_eq!(stage.inventory.seen().hellos.len(), 2);
}

#[tokio::test]
async fn a_full_queue_loses_nothing() {
    let mut stage = Stage::set().await;
    stage.inventory.behave(Manners::Silent);
    stage.report().await;
    for number in 0..2_500 {
        stage.create(&format!("app-{number}")).await;
    }
    for number in (0..2_500).step_by(5) {
        stage.touch(&format!("app-{number}"), "a").await;
    }
    for number in (0..2_500).step_by(9) {
        stage.delete(&format!("app-{number}")).await;
    }
    stage.inventory.behave(Manners::Kind);
    stage.inventory.hang_up();
    stage.converge("everything").await;
}

#[tokio::test]
async fn rejected_report_blocks_no_other() {
    let mut stage = Stage::set().await;
    stage.inventory.behave(Manners::Refusing("bad"));
    for name in ["bad", "good-1", "good-2"] {
        stage.create(name).await;
    }
    stage.report().await;
    for name in ["good-1", "good-2"] {
        stage
            .inventory
            .until(name, |seen| seen.named(name).map(|_| ()))
            .await;
        stage.touch(name, "a").await;
    }
    stage.inventory.behave(Manners::Kind);
    stage.touch("bad", "a").await;
    stage
        .converge("the others, and the next state of the bad one")
        .await;
}

#[tokio::test]
async fn restored_store_is_detected_and_reported_again() {
    let mut stage = Stage::set().await;
    for name in ["stays", "goes"] {
        stage.create(name).await;
    }
    for round in 0..50 {
        stage.touch("stays", &round.to_string()).await;
    }
    stage.report().await;
    stage.converge("the start").await;
    stage.crash().await;
    // A restored store has lower resource versions.
    let earlier = Stage::set().await;
    (stage.kube, stage.client) = (earlier.kube, earlier.client);
    let object = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"namespace": "argocd", "name": "stays"},
    });
    stage
        .kube
        .write_raw("applications.argoproj.io", object)
        .unwrap();
    stage.report().await;
    stage.converge("the earlier day").await;
    let seen = stage.inventory.seen();
    let restored = i32::from(pb::StoreContinuity::Restored);
    assert_eq!(seen.hellos.last().unwrap().continuity, restored);
}
