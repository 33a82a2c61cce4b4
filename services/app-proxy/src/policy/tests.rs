use std::collections::BTreeMap;

use super::*;

fn policy(text: &str) -> Policy {
    Policy::new(text.split(',').map(|entry| entry.parse().unwrap()))
}

fn user(name: &str) -> UserId {
    name.parse().unwrap()
}

/// What `ada` may do with `team-a/web` of project `shop`, tier `test`.
fn answer(text: &str, action: Action) -> PolicyDecision {
    let labels: BTreeMap<_, _> = [("tier".to_owned(), "test".to_owned())].into();
    let object = ApplicationAttributes {
        runtime: "east",
        cluster: "in-cluster",
        project: "shop",
        namespace: "team-a",
        name: "web",
        labels: &labels,
    };
    policy(text).answer(action, &user("ada"), &object)
}

#[test]
fn the_platform_is_told_the_actions_that_an_entry_is_about() {
    assert_eq!(Policy::default().actions(), Vec::<String>::new());
    let told = policy("sync+read:project=shop,read:user=ada").actions();
    assert_eq!(told, ["read", "sync"]);
}

#[test]
fn nothing_is_allowed_that_is_not_listed() {
    for &action in Action::ALL {
        assert!(Policy::default().check(action, &user("ada")).is_err());
        let one = Policy::new([Entry::of(action)]);
        assert!(one.check(action, &user("ada")).is_ok());
    }
    let denied = policy("read,refresh").check(Action::Sync, &user("ada"));
    let text = denied.unwrap_err().to_string();
    assert!(text.contains("--allow sync"), "{text}");
    assert!(
        policy("sync:user=ci-*")
            .check(Action::Sync, &user("ada"))
            .is_err()
    );
}

#[test]
fn an_entry_holds_where_all_its_fields_do() {
    for (text, expected) in [
        ("read,sync,refresh", PolicyDecision::Allowed),
        ("sync:project=shop", PolicyDecision::Allowed),
        ("sync:project=bank:project=sh*", PolicyDecision::Allowed),
        (
            "sync:namespace=team-?:name=web:cluster=in-cluster",
            PolicyDecision::Allowed,
        ),
        (
            "sync:label.tier=prod:label.tier=test:user=bob:user=a*",
            PolicyDecision::Allowed,
        ),
        ("read+sync:project=shop", PolicyDecision::Allowed),
        ("read,sync:project=bank", PolicyDecision::Denied),
        (
            "read:project=shop,sync:project=shop:user=bob",
            PolicyDecision::Denied,
        ),
        (
            "read:project=bank,sync:project=bank",
            PolicyDecision::Hidden,
        ),
        ("sync:user=bob", PolicyDecision::Hidden),
        ("sync:label.tier=prod", PolicyDecision::Hidden),
        ("sync:label.team=a", PolicyDecision::Hidden),
        ("sync:project=shop:name=api", PolicyDecision::Hidden),
    ] {
        assert_eq!(answer(text, Action::Sync), expected, "{text}");
    }
}

#[test]
fn an_entry_is_written_as_it_is_read() {
    for text in [
        "read",
        "sync+refresh",
        "read:user=ada:project=shop:project=bank",
        "sync:label.app.kubernetes.io/name=web",
    ] {
        assert_eq!(text.parse::<Entry>().unwrap().to_string(), text);
    }
}

#[test]
fn a_wrong_entry_is_named_with_what_to_write() {
    for (text, named, fix) in [
        ("", "an entry", "read, sync, refresh"),
        ("sink", "'sink'", "read, sync, refresh"),
        ("sync+", "'sync+'", "read, sync, refresh"),
        ("SYNC", "'SYNC'", "read, sync, refresh"),
        ("*", "'*'", "read, sync, refresh"),
        (
            "sync@project=shop",
            "'sync@project=shop'",
            "read, sync, refresh",
        ),
        ("sync:", "'sync:'", "project=shop"),
        ("sync:shop", "'sync:shop'", "project=shop"),
        ("sync:projct=shop", "'projct'", "use user, project"),
        ("sync:label.=x", "'label.'", "label.KEY"),
        ("sync:project=", "'sync:project='", "leave the field out"),
        (
            "sync:label.tier=t*",
            "'sync:label.tier=t*'",
            "must be equal",
        ),
    ] {
        let error = text.parse::<Entry>().unwrap_err().to_string();
        assert!(error.contains(named), "{text}: {error}");
        assert!(error.contains(fix), "{text}: {error}");
        assert!(!error.contains('\n'), "{text}: {error}");
    }
    let long = format!("sync:name={}", "x".repeat(2_000));
    assert!(long.parse::<Entry>().is_err());
}
