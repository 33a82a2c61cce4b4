use serde_json::{Value, json};

use super::*;
use crate::argocd::{
    compare::tests::{application, compared, config_map},
    operation::SyncResult,
    origin::Written,
};

fn now() -> Timestamp {
    "2026-11-01T10:00:00Z".parse().unwrap()
}

fn automated(policy: &Value) -> Application {
    application(&json!({"syncPolicy": {"automated": policy}}))
}

/// After an operation at revision `abc` that ended ten seconds ago.
fn after(policy: &Value, phase: Phase) -> Application {
    let mut application = automated(policy);
    let source = application.object["spec"]["source"].clone();
    application.status.operation_state = Some(OperationState {
        phase: Some(phase),
        message: "it broke".to_owned(),
        finished_at: Some("2026-11-01T09:59:50Z".to_owned()),
        sync_result: Some(SyncResult {
            revision: "abc".to_owned(),
            written: Written {
                source,
                sources: Vec::new(),
            },
            ..SyncResult::default()
        }),
        ..OperationState::default()
    });
    application
}

fn behind() -> Comparison {
    compared(vec![config_map("a", "1")], vec![config_map("a", "2")])
}

#[test]
fn only_an_automated_application_that_is_out_of_sync_starts() {
    assert_eq!(
        decide(&application(&json!({})), &behind(), now()),
        Automation::Nothing
    );
    assert_eq!(
        decide(&automated(&json!({"enabled": false})), &behind(), now()),
        Automation::Nothing
    );
    let same = compared(vec![config_map("a", "1")], vec![config_map("a", "1")]);
    assert_eq!(
        decide(&automated(&json!({})), &same, now()),
        Automation::Nothing
    );
    let Automation::Start(operation) =
        decide(&automated(&json!({"prune": true})), &behind(), now())
    else {
        panic!("it should start");
    };
    assert!(operation.initiated_by.automated && operation.retry.limit == 5);
    assert_eq!(
        operation.sync.map(|sync| (sync.revision, sync.prune)),
        Some(("abc".to_owned(), true))
    );
}

#[test]
fn a_failed_revision_is_not_tried_again_and_says_so() {
    let refused = decide(
        &after(&json!({"selfHeal": true}), Phase::Failed),
        &behind(),
        now(),
    );
    assert_eq!(
        refused,
        Automation::Refuse("Failed last sync attempt to [abc]: it broke".to_owned())
    );
    let mut newer = behind();
    newer.revision = "def".to_owned();
    assert!(matches!(
        decide(&after(&json!({}), Phase::Failed), &newer, now()),
        Automation::Start(_)
    ));
}

#[test]
fn drift_is_healed_at_once_and_only_where_that_is_wanted() {
    assert_eq!(
        decide(&after(&json!({}), Phase::Succeeded), &behind(), now()),
        Automation::Nothing
    );
    let healing = after(&json!({"selfHeal": true}), Phase::Succeeded);
    let Automation::Start(operation) = decide(&healing, &behind(), now()) else {
        panic!("it should heal")
    };
    assert_eq!(operation.sync.map(|sync| sync.resources.len()), Some(1));
}

#[test]
fn the_next_healings_wait_longer_and_longer_until_there_was_peace() {
    let after_healings = |attempts: i64| {
        let mut application = after(&json!({"selfHeal": true}), Phase::Succeeded);
        let state = application.status.operation_state.as_mut().unwrap();
        state.operation.sync = Some(SyncOperation {
            auto_heal_attempts_count: attempts,
            ..SyncOperation::default()
        });
        application
    };
    let ended = now() - Duration::from_secs(10);
    for (attempts, pause) in [(2, 6), (3, 18), (20, 300)] {
        let due = ended + Duration::from_secs(pause);
        let decision = decide(&after_healings(attempts), &behind(), ended);
        assert_eq!(decision, Automation::Later(due), "{attempts}");
    }
    let later = now() + Duration::from_mins(6);
    let Automation::Start(operation) = decide(&after_healings(20), &behind(), later) else {
        panic!("it should heal")
    };
    let attempts = operation.sync.map(|sync| sync.auto_heal_attempts_count);
    assert_eq!(attempts, Some(1));
}

#[test]
fn pruning_needs_its_permission_and_never_wipes_out_everything() {
    let gone = compared(Vec::new(), vec![config_map("a", "1")]);
    assert_eq!(
        decide(&automated(&json!({})), &gone, now()),
        Automation::Nothing
    );
    assert!(matches!(
        decide(&automated(&json!({"prune": true})), &gone, now()),
        Automation::Refuse(_)
    ));
    let allowed = automated(&json!({"prune": true, "allowEmpty": true}));
    assert!(matches!(
        decide(&allowed, &gone, now()),
        Automation::Start(_)
    ));
}

#[test]
fn a_running_operation_is_left_alone() {
    let mut application = after(&json!({}), Phase::Running);
    application
        .status
        .operation_state
        .as_mut()
        .unwrap()
        .sync_result = None;
    assert_eq!(decide(&application, &behind(), now()), Automation::Nothing);
}
