use serde_json::json;

use super::{applied, changes_nothing, difference};

#[test]
fn a_difference_leads_from_one_value_to_the_other() {
    let from = json!({"a": 1, "gone": {"x": 1}, "deep": {"same": 1, "other": 2, "left": 3}, "list": [1, 2]});
    let to = json!({"a": 2, "deep": {"same": 1, "other": {"now": 1}, "more": []}, "list": [2]});
    let patch = difference(&from, &to);
    assert_eq!(applied(&from, &patch), to);
    assert_eq!(patch["deep"].get("same"), None);
    assert_eq!(patch["gone"], json!(null));
}

#[test]
fn what_takes_away_what_is_not_there_changes_nothing() {
    let value = json!({"status": {"phase": "Paused"}});
    assert!(changes_nothing(
        &value,
        &json!({"status": {"pauseConditions": null}})
    ));
    assert!(!changes_nothing(
        &value,
        &json!({"status": {"phase": null}})
    ));
    assert!(!changes_nothing(
        &value,
        &json!({"status": {"abort": true}})
    ));
}
