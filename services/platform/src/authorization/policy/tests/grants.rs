use super::*;

fn team() -> Role {
    let seen = rule("application", "get", |of| {
        of.projects = words(&["shop", "bar-*"]);
    });
    let acted = rule("application", "sync", |of| of.projects = words(&["shop"]));
    role("team", vec![seen, acted])
}

fn refused(policy: &Policy, rules: &[Rule]) -> Option<String> {
    let refused = policy.check_grant(rules).err();
    refused.map(|it| format!("{}.{}", it.entity, it.action))
}

#[test]
fn who_holds_everything_can_give_everything() {
    let admin = policy(vec![], &["admin"], None);
    assert_eq!(refused(&admin, &[rule("*", "*", |_| {})]), None);
}

#[test]
fn nobody_can_give_more_than_they_hold() {
    let own = policy(vec![team()], &["team"], None);
    let within = [
        rule("application", "get", |of| of.projects = words(&["bar-1"])),
        rule("application", "sync", |of| {
            of.projects = words(&["shop"]);
            of.names = words(&["*"]);
        }),
    ];
    assert_eq!(refused(&own, &within), None);
    let beyond = [
        rule("*", "*", |_| {}),
        rule("application", "get", |_| {}),
        rule("application", "sync", |of| of.projects = words(&["bar-1"])),
        rule("application", "*", |of| of.projects = words(&["shop"])),
        rule("runtime", "get", |of| of.projects = words(&["shop"])),
        rule("application", "get", |of| of.projects = words(&["*"])),
        rule("application", "get", |of| of.names = words(&["a"])),
    ];
    for rule in beyond {
        let rules = [within[0].clone(), rule];
        assert!(refused(&own, &rules).is_some(), "{rules:?}");
    }
}

#[test]
fn the_role_of_the_credential_limits_what_can_be_given() {
    let limited = policy(vec![], &["admin"], Some("viewer"));
    let within = refused(&limited, &[rule("application", "get", |_| {})]);
    assert_eq!(within, None);
    let beyond = refused(&limited, &[rule("application", "sync", |_| {})]);
    assert_eq!(beyond.as_deref(), Some("application.sync"));
}

#[test]
fn a_key_of_somebody_else_is_made_by_who_holds_what_it_opens() {
    let admin = policy(vec![], &["admin"], None);
    let operator = policy(vec![], &["operator"], None);
    let of_admin = policy(vec![], &["admin"], Some("viewer"));
    assert_eq!(admin.check_holds(&operator), Ok(()));
    assert!(operator.check_holds(&admin).is_err());
    // What it opens is what both roles allow.
    assert_eq!(operator.check_holds(&of_admin), Ok(()));
    assert!(of_admin.check_holds(&operator).is_err());
    let named_higher = policy(vec![], &["operator"], Some("admin"));
    assert!(operator.check_limit(&named_higher).is_err());
    // Without a role of its own it opens what its owner will be given later, too.
    let of_nobody = policy(vec![], &[], None);
    assert_eq!(operator.check_holds(&of_nobody), Ok(()));
    assert!(operator.check_limit(&of_nobody).is_err());
    assert_eq!(admin.check_limit(&of_nobody), Ok(()));
}
