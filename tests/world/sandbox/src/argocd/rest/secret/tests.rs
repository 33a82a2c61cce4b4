use serde_json::json;

use super::*;

#[test]
fn equal_values_look_equal_and_others_longer() {
    let mut secret = Secret::default();
    let mut target = json!({"data": {"a": "x", "b": "y"}});
    let mut live = json!({"data": {"a": "x", "b": "z"}});
    secret.hide(&mut target);
    secret.hide(&mut live);
    assert_eq!(target, json!({"data": {"a": "++++++++", "b": "++++++++"}}));
    assert_eq!(live, json!({"data": {"a": "++++++++", "b": "+++++++++"}}));
}

#[test]
fn what_was_applied_last_is_hidden_too() {
    let mut live =
        json!({"metadata": {"annotations": {LAST_APPLIED: "{\"data\":{\"a\":\"secret\"}}"}}});
    Secret::default().hide(&mut live);
    assert!(!live.to_string().contains("secret\""), "{live}");
    let mut broken = json!({"metadata": {"annotations": {LAST_APPLIED: "secret"}}});
    Secret::default().hide(&mut broken);
    assert!(!broken.to_string().contains("secret"), "{broken}");
}
