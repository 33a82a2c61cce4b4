use serde_json::{Value, json};

use super::Rollout;

fn canary(status: &Value) -> Rollout {
    let steps = json!([
        {"setWeight": 20}, {"pause": {"duration": "30s"}}, {"analysis": {"templates": []}},
        {"setWeight": 60}, {"pause": {}}, {"pause": {"duration": 10}},
    ]);
    let rollout = json!({"spec": {"strategy": {"canary": {"steps": steps}}}, "status": status});
    serde_json::from_value(rollout).unwrap()
}

#[test]
fn steps_have_summaries() {
    let rollout = canary(&json!({}));
    let steps: Vec<&str> = rollout.steps().iter().map(|it| it.text.as_str()).collect();
    let wanted = [
        "setWeight 20",
        "pause 30s",
        "analysis",
        "setWeight 60",
        "pause",
        "pause 10s",
    ];
    assert_eq!(steps, wanted);
}

#[test]
fn desired_weight_comes_from_the_last_weight_step() {
    let at = |step: u32| canary(&json!({"currentStepIndex": step})).desired_weight();
    assert_eq!(
        (at(0), at(2), at(3), at(5)),
        (Some(20), Some(20), Some(60), Some(60))
    );
    assert_eq!(at(6), Some(100));
    assert_eq!(
        canary(&json!({"abort": true, "currentStepIndex": 2})).desired_weight(),
        Some(0)
    );
    let promoted = json!({"currentStepIndex": 0, "stableRS": "a", "currentPodHash": "a"});
    assert_eq!(canary(&promoted).desired_weight(), Some(100));
}

#[test]
fn step_index_beyond_the_last_is_complete() {
    assert_eq!(
        canary(&json!({"currentStepIndex": 6})).current_step(),
        Some(6)
    );
    assert_eq!(
        canary(&json!({"currentStepIndex": 99})).current_step(),
        Some(6)
    );
    assert_eq!(canary(&json!({})).current_step(), None);
    let bare: Rollout = serde_json::from_value(json!({"status": {"currentStepIndex": 1}})).unwrap();
    assert_eq!((bare.current_step(), bare.desired_weight()), (None, None));
}
