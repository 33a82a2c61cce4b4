use causeway_argocd::application::Application;
use causeway_shell::assertion::{Scope, ScopeRule};
use serde_json::json;

use super::contains;

fn allows(rule: ScopeRule) -> bool {
    let application = Application::read(json!({
        "metadata": {
            "namespace": "argocd", "name": "web", "uid": "u", "resourceVersion": "1",
            "labels": {"team": "a"},
        },
        "spec": {"project": "shop"},
    }))
    .unwrap();
    let scope = Scope {
        rules: vec![rule],
        ..Scope::default()
    };
    contains(&scope, &"east".parse().unwrap(), &application)
}

fn one(value: &str) -> Vec<String> {
    vec![value.to_owned()]
}

#[test]
fn a_scope_without_rules_holds_nothing() {
    let application = Application::default();
    assert!(!contains(
        &Scope::default(),
        &"east".parse().unwrap(),
        &application
    ));
}

#[test]
fn every_selector_of_a_rule_must_hold() {
    let all = ScopeRule::default;
    assert!(allows(all()));
    assert!(allows(ScopeRule {
        runtimes: one("east"),
        projects: one("shop"),
        ..all()
    }));
    assert!(!allows(ScopeRule {
        runtimes: one("west"),
        projects: one("shop"),
        ..all()
    }));
    assert!(!allows(ScopeRule {
        projects: one("default"),
        ..all()
    }));
    assert!(!allows(ScopeRule {
        namespaces: one("team"),
        ..all()
    }));
    assert!(!allows(ScopeRule {
        names: one("api"),
        ..all()
    }));
    let label = |value: &str| [("team".to_owned(), value.to_owned())].into();
    assert!(allows(ScopeRule {
        labels: label("a"),
        ..all()
    }));
    assert!(!allows(ScopeRule {
        labels: label("b"),
        ..all()
    }));
}
