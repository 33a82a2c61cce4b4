use std::collections::BTreeMap;

use causeway_argocd::application::Application;
use causeway_proto::{inventory::v1 as pb, time::timestamp_to_millis};
use causeway_reporting::{Knowledge, Quality};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{complete, to_ended};
use crate::enrichment::{Commit, Enrichment};

fn application(status: Value) -> Application {
    let mut object = json!({
        "metadata": {"namespace": "argocd", "name": "web", "uid": "u", "resourceVersion": "7"},
    });
    object["status"] = status;
    Application::from_value(object).unwrap()
}

fn time(seconds: i64) -> String {
    format!("2026-01-01T00:{:02}:{:02}Z", seconds / 60, seconds % 60)
}

fn deployment(id: i64, started: i64) -> Value {
    json!({
        "id": id, "revision": format!("r{id}"), "deployStartedAt": time(started), "deployedAt": time(started + 1),
        "initiatedBy": {"automated": true},
    })
}

fn operation(phase: &str, started: i64, finished: Option<i64>) -> Value {
    json!({
        "phase": phase, "startedAt": time(started), "finishedAt": finished.map(time), "message": "said", "retryCount": 2,
        "operation": {"initiatedBy": {"username": "ada"}, "info": [{"name": "causeway.io/request-id", "value": "q"}]},
        "syncResult": {"revision": "r9", "resources": [
            {"kind": "A", "name": "a", "status": "Synced"}, {"kind": "A", "name": "b", "status": "Synced"},
            {"kind": "A", "name": "c", "status": "SyncFailed", "message": "no"}, {"kind": "A", "name": "d", "status": "Pruned"},
            {"kind": "A", "name": "e", "status": "PruneSkipped"},
        ]},
    })
}

#[test]
fn operation_record_is_complete_without_resources() {
    let ended = to_ended(&application(
        json!({"operationState": operation("Failed", 10, Some(12))}),
    ));
    let [record] = &ended[..] else {
        panic!("one operation has ended: {ended:?}");
    };
    let counts = pb::OperationCounts {
        synced: 2,
        failed: 1,
        pruned: 1,
        prune_skipped: 1,
    };
    assert_eq!(record.resources, Some(counts));
    assert_eq!(record.phase(), pb::OperationPhase::Failed);
    assert_eq!((&*record.message, record.retry_count), ("said", 2));
    assert_eq!((&*record.initiated_by, &*record.request_id), ("ada", "q"));
    assert_eq!(record.revisions, ["r9"]);
    assert_eq!(record.deployment_id, None);
}

#[test]
fn operation_and_its_deployment_are_one_record() {
    let status = json!({
        "history": [deployment(3, 5), deployment(4, 10)],
        "operationState": operation("Succeeded", 10, Some(13)),
    });
    let ended = to_ended(&application(status));
    let ids: Vec<_> = ended.iter().map(|record| record.deployment_id).collect();
    assert_eq!(ids, [Some(3), Some(4)]);
    assert_eq!((&*ended[0].message, &*ended[1].message), ("", "said"));
    assert!(ended[0].automated);
}

#[test]
fn a_dry_run_is_marked_and_no_deployment() {
    let mut dry_run = operation("Succeeded", 10, Some(12));
    dry_run["operation"]["sync"] = json!({"dryRun": true});
    let application = application(json!({"operationState": dry_run}));
    assert!(to_ended(&application).is_empty());
    let state = application.status.operation_state.as_ref().unwrap();
    assert!(super::to_operation_state(state).dry_run);
}

#[test]
fn running_operation_is_not_ended_despite_its_deployment() {
    for (phase, finished) in [
        ("Running", None),
        ("Running", Some(11)),
        ("Terminating", None),
    ] {
        let status = json!({
            "history": [deployment(3, 5), deployment(4, 10)],
            "operationState": operation(phase, 10, finished),
        });
        let ended = to_ended(&application(status));
        let ids: Vec<_> = ended.iter().map(|record| record.deployment_id).collect();
        assert_eq!(ids, [Some(3)], "{phase}");
    }
}

#[test]
fn user_controlled_texts_are_truncated() {
    let mut state = operation("Error", 10, Some(12));
    state["message"] = json!("é".repeat(5_000));
    state["operation"]["initiatedBy"]["username"] = json!("x".repeat(5_000));
    let ended = to_ended(&application(json!({"operationState": state})));
    assert!(ended[0].message.len() <= 1_024 && ended[0].initiated_by.len() <= 256);
}

#[test]
fn commit_is_added_once_known() {
    let application = application(json!({"operationState": operation("Succeeded", 10, Some(12))}));
    let mut record = to_ended(&application).remove(0);
    let unasked = Enrichment::default();
    assert_eq!(
        complete(&mut record, &application, &unasked),
        Knowledge::Partial
    );
    let nobody = Enrichment {
        quality: Quality::Whole,
        ..Enrichment::default()
    };
    assert_eq!(
        complete(&mut record, &application, &nobody),
        Knowledge::Whole
    );
    let commit = Commit {
        author: "Ada".to_owned(),
        message: "one".to_owned(),
        committed_at: None,
        avatar_url: String::new(),
        url: String::new(),
    };
    let known = Enrichment {
        commits: BTreeMap::from([("r9".to_owned(), commit)]),
        ..Enrichment::default()
    };
    assert_eq!(
        complete(&mut record, &application, &known),
        Knowledge::Whole
    );
    assert_eq!(record.commit.unwrap().sha, "r9");
}

/// The key of an operation in the contract.
fn id(record: &pb::OperationRecord) -> (i64, Option<i64>) {
    let started_at = record.started_at.as_ref().map(timestamp_to_millis);
    (started_at.unwrap(), record.deployment_id)
}

proptest! {
    /// Argo CD runs operations one after the other and writes the history before the end; the reporter observes only some states.
    #[test]
    fn ended_operations_are_recorded_once(
        outcomes in prop::collection::vec(any::<bool>(), 1..12), looks in prop::collection::vec(any::<[bool; 3]>(), 12)
    ) {
        let (mut history, mut found) = (Vec::new(), BTreeMap::new());
        let mut wanted = Vec::new();
        for (number, (succeeds, look)) in outcomes.iter().zip(looks).enumerate() {
            let number = i64::try_from(number).unwrap();
            let started = number * 10;
            let mut moments = vec![operation("Running", started, None)];
            let before = history.clone();
            if *succeeds {
                history.push(deployment(i64::try_from(history.len()).unwrap(), started));
                moments.push(operation("Running", started, None));
            }
            let phase = if *succeeds { "Succeeded" } else { "Failed" };
            moments.push(operation(phase, started, Some(started + 2)));
            let last = moments.len() - 1;
            for (moment, (state, look)) in moments.into_iter().zip(look).enumerate() {
                let history = if moment == 0 { &before } else { &history };
                if look {
                    let status = json!({"history": history, "operationState": state});
                    for record in to_ended(&application(status)) {
                        *found.entry(id(&record)).or_insert(0) += 1;
                    }
                }
                if moment == last && (look || *succeeds) {
                    wanted.push(started * 1_000);
                }
            }
        }
        let status = json!({"history": history, "operationState": operation("Running", 500, None)});
        for record in to_ended(&application(status)) {
            found.insert(id(&record), 1);
        }
        let base = timestamp_to_millis(&to_ended(&application(json!({"history": [deployment(0, 0)]})))[0].started_at.unwrap());
        let starts: Vec<i64> = found.keys().map(|(started_at, _)| started_at - base).collect();
        prop_assert_eq!(starts, wanted);
    }
}
