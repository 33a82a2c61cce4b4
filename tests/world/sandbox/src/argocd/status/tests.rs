use serde_json::json;

use super::*;
use crate::argocd::compare::tests::{application, compared, config_map};

fn at(minute: u32) -> Timestamp {
    format!("2026-11-01T10:{minute:02}:00Z").parse().unwrap()
}

#[test]
fn a_refresh_writes_what_argo_cd_writes() {
    let application = application(&json!({}));
    let comparison = compared(vec![config_map("a", "1")], Vec::new());
    let status = application
        .status
        .refreshed(&application, &comparison, "argocd", at(0));
    let written = serde_json::to_value(status).unwrap();
    let expected = json!({
        "controllerNamespace": "argocd",
        "health": {"lastTransitionTime": "2026-11-01T10:00:00Z", "status": "Missing"},
        "reconciledAt": "2026-11-01T10:00:00Z",
        "resourceHealthSource": "appTree",
        "resources": [{"kind": "ConfigMap", "name": "a", "namespace": "web", "status": "OutOfSync", "version": "v1"}],
        "sourceType": "Directory",
        "sync": {
            "comparedTo": {"destination": application.object["spec"]["destination"], "source": application.object["spec"]["source"]},
            "revision": "abc",
            "status": "OutOfSync",
        },
    });
    assert_eq!(written, expected);
}

#[test]
fn times_change_only_with_their_values() {
    let application = application(&json!({}));
    let broken = |message: &str| {
        let mut comparison = compared(vec![config_map("a", "1")], Vec::new());
        comparison
            .conditions
            .push(("SyncError", message.to_owned()));
        comparison
    };
    let first = application
        .status
        .refreshed(&application, &broken("one"), "argocd", at(1));
    let same = first.refreshed(&application, &broken("one"), "argocd", at(2));
    assert!(!same.differs_from(&first) && same.reconciled_at != first.reconciled_at);
    let other = first.refreshed(&application, &broken("two"), "argocd", at(3));
    assert_eq!(other.conditions.len(), 1);
    assert_eq!(
        other.conditions[0].last_transition_time,
        "2026-11-01T10:03:00Z"
    );
    assert_eq!(other.health.last_transition_time, "2026-11-01T10:01:00Z");
}

#[test]
fn conditions_of_others_stay_and_ours_go_when_they_are_over() {
    let application = application(&json!({}));
    let condition = |kind: &str| Condition {
        r#type: kind.to_owned(),
        ..Condition::default()
    };
    let before = Status {
        conditions: vec![condition("OrphanedResourceWarning"), condition("SyncError")],
        ..Status::default()
    };
    let after = before.refreshed(
        &application,
        &compared(Vec::new(), Vec::new()),
        "argocd",
        at(0),
    );
    assert_eq!(after.conditions, [condition("OrphanedResourceWarning")]);
}

#[test]
fn a_source_that_cannot_be_read_leaves_the_revision_unresolved() {
    let application = application(&json!({}));
    let live = std::collections::BTreeMap::new();
    let failed = Comparison::failed(&application, live, "ComparisonError", "no path".to_owned());
    let status = application
        .status
        .refreshed(&application, &failed, "argocd", at(0));
    assert_eq!(
        (status.sync.status, status.sync.revision.as_str()),
        (SyncCode::Unknown, "main")
    );
    assert_eq!(status.health.status, Some(HealthCode::Healthy));
    assert_eq!(status.conditions[0].r#type, "ComparisonError");
}
