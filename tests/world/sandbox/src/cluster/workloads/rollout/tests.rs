use serde_json::{Value, json};

use super::steps::Position;

fn rollout(status: &Value) -> Value {
    let steps = json!([{"setWeight": 50}, {"pause": {}}, {"setWeight": 80}, {"pause": {"duration": "10m"}}]);
    json!({"spec": {"strategy": {"canary": {"steps": steps}}}, "status": status})
}

fn at(index: usize) -> Value {
    rollout(&json!({"currentStepIndex": index}))
}

#[test]
fn weights_hold_until_the_next_one_and_all_serves_at_the_end() {
    for (index, weight) in [(0, 50), (1, 50), (2, 80), (3, 80), (4, 100), (9, 100)] {
        let rollout = at(index);
        assert_eq!(Position::read(&rollout).weight(&rollout), weight, "{index}");
    }
}

#[test]
fn a_weight_waits_for_its_pods_and_a_pause_for_a_promotion() {
    let rollout = at(0);
    assert_eq!(Position::read(&rollout).next(&rollout, false), Err(None));
    let mut pause = Position::read(&rollout).next(&rollout, true).unwrap();
    assert_eq!(pause.index(), 1);
    assert_eq!(pause.next(&rollout, true), Err(None));
    assert!(pause.is_paused());
    let conditions = pause.conditions("2026-01-01T00:00:00Z");
    assert_eq!(conditions[0]["reason"], "CanaryPauseStep");

    let paused =
        json!({"currentStepIndex": 1, "controllerPause": true, "pauseConditions": conditions});
    let paused = self::rollout(&paused);
    assert_eq!(Position::read(&paused).next(&paused, true), Err(None));
    let promoted = self::rollout(&json!({"currentStepIndex": 1, "controllerPause": true}));
    let next = Position::read(&promoted).next(&promoted, true).unwrap();
    assert_eq!((next.index(), next.is_paused()), (2, false));
}

#[test]
fn a_pause_with_a_length_ends_by_itself() {
    let rollout = at(3);
    let mut pause = Position::read(&rollout);
    let left = pause.next(&rollout, true).unwrap_err();
    assert_eq!(left, Some(std::time::Duration::from_secs(600)));
    let conditions = json!([{"reason": "CanaryPauseStep", "startTime": "2020-01-01T00:00:00Z"}]);
    let over =
        json!({"currentStepIndex": 3, "controllerPause": true, "pauseConditions": conditions});
    let over = self::rollout(&over);
    assert!(
        Position::read(&over)
            .next(&over, true)
            .unwrap()
            .is_last(&over)
    );
}
