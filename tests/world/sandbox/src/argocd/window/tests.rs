use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;

/// A Saturday.
fn noon() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn web() -> Application {
    let spec =
        json!({"destination": {"server": "https://kubernetes.default.svc", "namespace": "shop"}});
    Application::parse(json!({"metadata": {"name": "web", "namespace": "argocd"}, "spec": spec}))
        .unwrap()
}

fn check(windows: &Value, wish: SyncTrigger, expected: bool) {
    let windows: Vec<Window> = serde_json::from_value(windows.clone()).unwrap();
    assert_eq!(
        is_open(&windows, &web(), wish, noon()),
        expected,
        "{windows:?}"
    );
}

fn window(kind: &str, schedule: &str, duration: &str) -> Value {
    json!({"kind": kind, "schedule": schedule, "duration": duration, "applications": ["*"]})
}

#[test]
fn a_denial_closes_while_it_lasts_and_an_allowance_opens() {
    check(&json!([]), SyncTrigger::Automated, true);
    check(
        &json!([window("deny", "0 11 * * *", "2h")]),
        SyncTrigger::Automated,
        false,
    );
    check(
        &json!([window("deny", "0 11 * * *", "30m")]),
        SyncTrigger::Automated,
        true,
    );
    check(
        &json!([window("allow", "0 11 * * *", "2h")]),
        SyncTrigger::Automated,
        true,
    );
    check(
        &json!([window("allow", "0 9 * * *", "1h")]),
        SyncTrigger::Automated,
        false,
    );
    let both = [
        window("allow", "* * * * *", "1h"),
        window("deny", "* * * * *", "1h"),
    ];
    check(&json!(both), SyncTrigger::Automated, false);
}

#[test]
fn a_person_may_pass_where_the_window_says_so() {
    let mut closed = window("deny", "* * * * *", "1h");
    check(&json!([closed]), SyncTrigger::Manual, false);
    closed["manualSync"] = true.into();
    check(&json!([closed]), SyncTrigger::Manual, true);
    check(&json!([closed]), SyncTrigger::Automated, false);
}

#[test]
fn windows_are_about_applications_namespaces_or_clusters() {
    let mut other = window("deny", "* * * * *", "1h");
    other["applications"] = json!(["api-*"]);
    check(&json!([other]), SyncTrigger::Automated, true);
    other["namespaces"] = json!(["shop"]);
    check(&json!([other]), SyncTrigger::Automated, false);
}

#[test]
fn schedules_know_steps_ranges_lists_weekdays_and_zones() {
    for (schedule, expected) in [
        ("*/15 * * * *", true),
        ("0 8-18/4 * * *", true),
        ("0 8-18/3 * * *", false),
        ("0 12 * * 6", true),
        ("0 12 * * 1-5", false),
        ("0 12 1 * 6", true),
        ("0,30 12 21 11 *", true),
        ("0 12 * * * *", false),
        ("nonsense", false),
    ] {
        check(
            &json!([window("deny", schedule, "1m")]),
            SyncTrigger::Automated,
            !expected,
        );
    }
    let mut berlin = window("deny", "0 13 * * *", "1m");
    berlin["timeZone"] = "Europe/Berlin".into();
    check(&json!([berlin]), SyncTrigger::Automated, false);
}
