use causeway_git_source::Kind;

use super::*;

const NOW: &str = "2026-01-01T01:00:00Z";

fn source(status: Value) -> Object {
    let mut object = json!({
        "metadata": {"name": "shop", "namespace": "argocd", "uid": "u", "generation": 3},
        "spec": {"sourceNamespace": "shop-apps"},
    });
    object["status"] = status;
    Object::read(Kind::Causeway, &object)
}

fn applied(application: Value, children: Vec<Value>) -> Outcome {
    Outcome::Applied {
        application,
        children,
        escapes: Vec::new(),
    }
}

fn after(object: &Object, outcome: &Outcome) -> Value {
    status_after(object, outcome, (NOW.parse().unwrap(), NOW))
}

/// The condition that is true, with its reason.
fn shown(status: &Value) -> Vec<String> {
    let list = status["conditions"].as_array().unwrap().iter();
    let list = list.filter(|it| it["status"] == "True");
    list.map(|it| format!("{} {}", text(it, "/type"), text(it, "/reason")))
        .collect()
}

fn app(created: &str, status: Value) -> Value {
    let metadata = json!({"name": "web", "creationTimestamp": created});
    let mut app = json!({"kind": "Application", "metadata": metadata});
    app["status"] = status;
    app
}

#[test]
fn the_state_of_the_application_decides_about_the_conditions() {
    let synced = json!({"sync": {"status": "Synced"}, "health": {"status": "Healthy"}});
    let (old, young) = ("2026-01-01T00:00:00Z", "2026-01-01T00:59:30Z");
    let failed = json!({"sync": {"status": "Unknown"}, "conditions": [{"type": "ComparisonError", "message": "no such path"}]});
    for (application, children, expected) in [
        (app(old, synced.clone()), vec![], "Available Synced"),
        (
            app(young, json!({})),
            vec![],
            "Progressing WaitingForArgocd",
        ),
        (app(old, json!({})), vec![], "Degraded ArgocdNotWatching"),
        (
            app(old, synced.clone()),
            vec![app(old, json!({}))],
            "Degraded NamespaceNotWatched",
        ),
        (
            app(old, synced.clone()),
            vec![app(young, json!({}))],
            "Available Synced",
        ),
        (app(old, failed), vec![], "Degraded ComparisonError"),
        (
            app(old, json!({"sync": {"status": "OutOfSync"}})),
            vec![],
            "Progressing Syncing",
        ),
    ] {
        let status = after(&source(json!({})), &applied(application, children));
        assert_eq!(shown(&status), [expected]);
    }
}

#[test]
fn a_missing_setting_of_argo_cd_is_named() {
    let old = "2026-01-01T00:00:00Z";
    let children = vec![app(old, json!({}))];
    let synced = app(old, json!({"sync": {"status": "Synced"}}));
    let status = after(&source(json!({})), &applied(synced, children));
    let message = condition_of(&status, "Degraded", "/message");
    assert!(
        message.contains("add shop-apps to application.namespaces"),
        "{message}"
    );
}

#[test]
fn a_refusal_keeps_what_was_accepted_before() {
    let before =
        json!({"sourceNamespace": "old", "application": "argocd/shop", "observedGeneration": 2});
    let status = after(&source(before), &Outcome::Refused(Refusal::SymlinkEscapes));
    assert_eq!(shown(&status), ["Refused SymlinkEscapes"]);
    assert_eq!(status["sourceNamespace"], "old");
    assert_eq!(status["observedGeneration"], 3);
}

#[test]
fn the_same_outcome_again_changes_nothing() {
    let outcome = applied(app(NOW, json!({"sync": {"status": "Synced"}})), vec![]);
    let first = after(&source(json!({})), &outcome);
    let later = "2026-01-01T02:00:00Z";
    let object = source(first.clone());
    let again = status_after(&object, &outcome, (later.parse().unwrap(), later));
    assert_eq!(again, first);
    assert!(is_available(&again));
}

#[test]
fn a_failure_of_the_cluster_hides_no_refusal() {
    let first = after(
        &source(json!({})),
        &Outcome::Refused(Refusal::SymlinkEscapes),
    );
    let status = after(&source(first), &Outcome::Failed("no answer".to_owned()));
    assert_eq!(
        shown(&status),
        ["Degraded ClusterFailed", "Refused SymlinkEscapes"]
    );
}
