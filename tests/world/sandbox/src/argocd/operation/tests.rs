use super::*;

fn at(seconds: i64) -> Timestamp {
    "2026-11-01T10:00:00Z".parse::<Timestamp>().unwrap()
        + Duration::from_secs(u64::try_from(seconds).unwrap())
}

fn operation(limit: i64) -> Operation {
    Operation {
        retry: Retry {
            limit,
            backoff: None,
        },
        sync: Some(SyncOperation::default()),
        ..Operation::default()
    }
}

fn failed() -> AttemptResult {
    AttemptResult {
        phase: Phase::Failed,
        message: "no".to_owned(),
    }
}

#[test]
fn an_operation_that_is_taken_up_runs() {
    assert!(OperationState::taken_up(&operation(0), at(0)).is_running());
}

#[test]
fn a_failure_is_tried_again_after_growing_pauses_until_the_limit() {
    let mut state = OperationState::taken_up(&operation(2), at(0));
    for (attempt, pause) in [(1, 5), (2, 10)] {
        state = state.ended(&failed(), at(100));
        assert!(state.is_running());
        assert!(
            state
                .message
                .starts_with(&format!("no. Retrying attempt #{attempt} at 10:01AM")),
            "{}",
            state.message
        );
        assert_eq!(state.next_attempt(), Some(at(100 + pause)));
        state = state.retried();
        assert_eq!((state.retry_count, state.next_attempt()), (attempt, None));
    }
    state = state.ended(&failed(), at(200));
    assert_eq!(state.phase, Some(Phase::Failed));
    assert_eq!(state.message, "no (retried 2 times).");
    assert_eq!(state.finished_at.as_deref(), Some("2026-11-01T10:03:20Z"));
}

#[test]
fn success_and_termination_end_it_at_once() {
    let state = OperationState::taken_up(&operation(-1), at(0));
    let success = AttemptResult {
        phase: Phase::Succeeded,
        message: SUCCEEDED.to_owned(),
    };
    assert!(state.ended(&success, at(1)).is_over());
    let terminated = AttemptResult {
        phase: Phase::Failed,
        message: TERMINATED.to_owned(),
    };
    assert!(state.ended(&terminated, at(1)).is_over());
}

#[test]
fn backoff_is_read_with_units_and_has_a_ceiling() {
    let backoff = Backoff {
        duration: "1m".to_owned(),
        factor: Some(10),
        max_duration: "5m".to_owned(),
    };
    let retry = Retry {
        limit: 9,
        backoff: Some(backoff),
    };
    assert_eq!(delay(&retry, 0), Duration::from_secs(60));
    assert_eq!(delay(&retry, 1), Duration::from_secs(300));
    assert_eq!(delay(&Retry::default(), 60), Duration::from_secs(180));
    assert_eq!(parse_duration("nonsense"), None);
}

#[test]
fn history_counts_on_and_forgets_the_oldest() {
    let mut state = OperationState::taken_up(&operation(0), at(0));
    state.sync_result = Some(SyncResult {
        revision: "abc".to_owned(),
        ..SyncResult::default()
    });
    let mut history = Vec::new();
    for _ in 0..12 {
        history = deployed(&history, &state, None, at(1));
    }
    assert_eq!((history.len(), history[0].id, history[9].id), (10, 2, 11));
    assert_eq!(deployed(&history, &state, Some(3), at(1)).len(), 3);
}

#[test]
fn partial_and_dry_runs_make_no_history() {
    let mut state = OperationState::taken_up(&operation(0), at(0));
    state.sync_result = Some(SyncResult::default());
    let dry = SyncOperation {
        dry_run: true,
        ..SyncOperation::default()
    };
    let partial = SyncOperation {
        resources: vec![ResourceChoice::default()],
        ..SyncOperation::default()
    };
    for sync in [dry, partial] {
        state.operation.sync = Some(sync);
        assert!(deployed(&[], &state, None, at(1)).is_empty());
    }
}
