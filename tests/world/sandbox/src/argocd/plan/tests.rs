use serde_json::json;

use super::*;
use crate::argocd::compare::tests::{compared, config_map};

fn named(kind: &str, name: &str, annotations: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "web", "annotations": annotations}})
}

fn wave(wave: &str) -> Value {
    json!({"argocd.argoproj.io/sync-wave": wave})
}

fn names(tasks: &[&Task]) -> Vec<String> {
    tasks.iter().map(|task| task.key.name.clone()).collect()
}

fn done(task: &Task) -> ResourceResult {
    task.result(ResultCode::Synced, String::new())
}

#[test]
fn pruning_comes_first_and_then_kinds_that_others_need() {
    let targets = vec![
        named("Pod", "p", &json!({})),
        named("Service", "s", &json!({})),
        config_map("c", "1"),
    ];
    let comparison = compared(targets, vec![config_map("old", "1")]);
    let tasks = tasks(
        &comparison,
        &SyncOperation {
            prune: true,
            ..SyncOperation::default()
        },
    );
    assert_eq!(
        names(&tasks.iter().collect::<Vec<_>>()),
        ["old", "c", "s", "p"]
    );
    assert_eq!(tasks[0].work, Work::Prune);
}

#[test]
fn pruning_is_skipped_unless_asked_for_and_where_an_object_forbids_it() {
    let kept = named(
        "ConfigMap",
        "kept",
        &json!({"argocd.argoproj.io/sync-options": "Prune=false"}),
    );
    let comparison = compared(Vec::new(), vec![kept, config_map("old", "1")]);
    let work = |prune| {
        tasks(
            &comparison,
            &SyncOperation {
                prune,
                ..SyncOperation::default()
            },
        )
        .iter()
        .map(|task| task.work)
        .collect::<Vec<_>>()
    };
    assert_eq!(work(false), [Work::SkipPrune, Work::SkipPrune]);
    assert_eq!(work(true), [Work::SkipPrune, Work::Prune]);
}

#[test]
fn a_wave_waits_for_the_health_of_the_one_before() {
    let comparison = compared(
        vec![
            named("Pod", "first", &wave("-1")),
            named("Pod", "second", &json!({})),
        ],
        Vec::new(),
    );
    let tasks = tasks(&comparison, &SyncOperation::default());
    let Step::Run(turn) = next(&tasks, &[], |_| None) else {
        panic!("the first wave should run")
    };
    assert_eq!(names(&turn), ["first"]);
    let results = [done(&tasks[0])];
    let pod = |phase: &str| json!({"apiVersion": "v1", "kind": "Pod", "status": {"phase": phase}});
    let Step::Wait(message) = next(&tasks, &results, |_| Some(pod("Pending"))) else {
        panic!("it should wait")
    };
    assert_eq!(message, "waiting for healthy state of /Pod/first");
    let Step::Run(turn) = next(&tasks, &results, |_| Some(pod("Succeeded"))) else {
        panic!("the second wave should run")
    };
    assert_eq!(names(&turn), ["second"]);
    let failed = next(&tasks, &results, |_| Some(pod("Failed")));
    assert!(matches!(
        failed,
        Step::End(AttemptResult {
            phase: Phase::Failed,
            ..
        })
    ));
    let both = [done(&tasks[0]), done(&tasks[1])];
    let ended = next(&tasks, &both, |_| Some(pod("Pending")));
    assert!(matches!(
        ended,
        Step::End(AttemptResult {
            phase: Phase::Succeeded,
            ..
        })
    ));
}

#[test]
fn one_failure_fails_the_sync_with_its_reason() {
    let comparison = compared(vec![config_map("a", "1")], Vec::new());
    let tasks = tasks(&comparison, &SyncOperation::default());
    let failed = [tasks[0].result(ResultCode::SyncFailed, "not valid".to_owned())];
    let Step::End(ending) = next(&tasks, &failed, |_| None) else {
        panic!("it should end")
    };
    assert_eq!(
        ending.message,
        "one or more objects failed to apply, reason: not valid"
    );
}

#[test]
fn a_sync_with_a_failure_waits_for_what_it_applied() {
    let comparison = compared(vec![config_map("a", "1"), config_map("b", "1")], Vec::new());
    let tasks = tasks(&comparison, &SyncOperation::default());
    let results = [
        done(&tasks[0]),
        tasks[1].result(ResultCode::SyncFailed, "not valid".to_owned()),
    ];
    let check = |live: Option<Value>, expected: bool| {
        let Step::Settle {
            message,
            ready,
            ending,
        } = next(&tasks, &results, |_| live.clone())
        else {
            panic!("it should settle")
        };
        assert_eq!(message, "waiting for healthy state of /ConfigMap/a");
        assert_eq!(ready, expected);
        let reason =
            "one or more synchronization tasks completed unsuccessfully, reason: not valid";
        assert_eq!(ending.message, reason);
    };
    check(None, false);
    check(Some(config_map("a", "1")), true);
}

#[test]
fn hooks_run_in_their_phases_and_are_waited_for() {
    let hook =
        |name: &str, phase: &str| named("Pod", name, &json!({"argocd.argoproj.io/hook": phase}));
    let comparison = compared(
        vec![
            hook("after", "PostSync"),
            config_map("a", "1"),
            hook("before", "PreSync"),
        ],
        Vec::new(),
    );
    let tasks = tasks(&comparison, &SyncOperation::default());
    assert_eq!(
        names(&tasks.iter().collect::<Vec<_>>()),
        ["before", "a", "after"]
    );
    let all: Vec<ResourceResult> = tasks.iter().map(done).collect();
    let running = |_: &ResourceKey| {
        Some(json!({"apiVersion": "v1", "kind": "Pod", "status": {"phase": "Pending"}}))
    };
    let Step::Wait(message) = next(&tasks, &all, running) else {
        panic!("it should wait")
    };
    assert!(
        message.starts_with("waiting for completion of hook /Pod/before"),
        "{message}"
    );
}

#[test]
fn a_partial_sync_takes_only_what_was_chosen() {
    let comparison = compared(vec![config_map("a", "1"), config_map("b", "1")], Vec::new());
    let choice = ResourceChoice {
        kind: "ConfigMap".to_owned(),
        name: "b".to_owned(),
        ..ResourceChoice::default()
    };
    let tasks = tasks(
        &comparison,
        &SyncOperation {
            resources: vec![choice],
            ..SyncOperation::default()
        },
    );
    assert_eq!(names(&tasks.iter().collect::<Vec<_>>()), ["b"]);
}
