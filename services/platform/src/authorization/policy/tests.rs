//! Tests the engine against a slow independent oracle.

mod grants;
mod oracle;
mod scopes;

use super::*;
use crate::roles::rule::ALL;

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn rule(entity: &str, action: &str, change: impl FnOnce(&mut Selector)) -> Rule {
    let mut selector = Selector::default();
    change(&mut selector);
    Rule {
        entities: words(&[entity]),
        actions: words(&[action]),
        selector,
    }
}

fn role(name: &str, rules: Vec<Rule>) -> Role {
    Role {
        name: name.parse().unwrap(),
        description: String::new(),
        rules,
        times: None,
    }
}

/// The holder of all of these roles, with one of them, or another one, as that of the credential.
fn policy(roles: Vec<Role>, held: &[&str], limit: Option<&str>) -> Policy {
    let roles = Roles::new(3, roles);
    let held: Vec<RoleName> = held.iter().map(|name| name.parse().unwrap()).collect();
    let limit: Option<RoleName> = limit.map(|name| name.parse().unwrap());
    Policy::new(&roles, &held, limit.as_ref())
}

fn permission(text: &str) -> Permission<'_> {
    Permission::parse(text).unwrap()
}

#[test]
fn without_a_role_or_a_rule_all_is_denied() {
    let nobody = policy(vec![], &[], None);
    let sync = permission("application.sync");
    assert_eq!(
        nobody.lacks(sync, &Target::default()),
        Some(DenialReason::Role)
    );
    let empty = policy(vec![role("empty", vec![])], &["empty"], None);
    let lack = empty.lacks(sync, &Target::default()).unwrap();
    assert_eq!(
        lack.to_string(),
        "no rule of the user's roles (empty) allows it"
    );
    let gone = policy(vec![], &["gone"], None);
    assert_eq!(
        gone.lacks(sync, &Target::default()),
        Some(DenialReason::Role)
    );
}

#[test]
fn a_decision_names_each_rule_that_it_rests_on() {
    let team = role(
        "team",
        vec![
            rule("runtime", "get", |_| {}),
            rule("application", ALL, |of| of.names = words(&["a*"])),
        ],
    );
    let policy = policy(vec![team], &["team", "operator"], None);
    let target = Target {
        name: Some("ab"),
        ..Target::default()
    };
    let Decision::Allowed(grounds) = policy.decide(permission("application.sync"), &target) else {
        panic!("denied");
    };
    let named: Vec<_> = grounds
        .rules
        .iter()
        .map(|ground| (ground.role.name.as_str(), ground.number, ground.selection))
        .collect();
    let expected = [("team", 2, Selection::Yes), ("operator", 2, Selection::Yes)];
    assert_eq!(named, expected);
    assert_eq!(grounds.limits, None);
}

#[test]
fn the_role_of_a_credential_only_ever_takes_away() {
    let sync = permission("application.sync");
    let create = permission("runtime.create");
    let reads = policy(vec![], &["admin"], Some("viewer"));
    let lack = reads.lacks(sync, &Target::default()).unwrap();
    assert_eq!(
        lack.to_string(),
        "no rule of the API key's own role (viewer) allows it"
    );
    let acts = policy(vec![], &["operator"], Some("admin"));
    assert_eq!(acts.lacks(sync, &Target::default()), None);
    assert!(acts.lacks(create, &Target::default()).is_some());
    let gone = policy(vec![], &["admin"], Some("gone"));
    assert!(gone.lacks(sync, &Target::default()).is_some());
    assert_eq!(
        (reads.title(), gone.title()),
        ("admin/viewer".to_owned(), "admin/gone".to_owned())
    );
}
