use super::*;
use crate::{
    authorization::policy::Policy,
    roles::rule::{Permission, Target},
};

fn own(name: &str, rules: Vec<Rule>) -> Role {
    Role {
        name: name.parse().unwrap(),
        description: String::new(),
        rules,
        times: Some(RoleTimes {
            created_at: 1,
            updated_at: 2,
        }),
    }
}

#[test]
fn each_built_in_role_holds_its_permissions_and_no_others() {
    let table = [
        ("application.list", true, true, true),
        ("application.watch", true, true, true),
        ("resource.list", true, true, true),
        ("resource.get", true, true, true),
        ("resource.watch", true, true, true),
        ("event.list", true, true, true),
        ("application.sync", false, true, true),
        ("application.refresh", false, true, true),
        ("log.get", true, true, true),
        ("exec.create", false, false, true),
        ("resource.delete", false, true, true),
        ("resource.action", false, true, true),
        ("rollout.promote", false, true, true),
        ("rollout.set-image", false, true, true),
        ("workflow.submit", false, true, true),
        ("runtime.get", true, true, true),
        ("runtime.create", false, false, true),
        ("runtime.revoke", false, false, true),
        ("runtime.rejoin", false, false, true),
        ("part.list", true, true, true),
        ("audit.list", false, false, true),
        ("api-key.create", false, false, true),
        ("api-key.list", false, false, true),
        ("role.list", false, false, true),
        ("secret.get", false, false, true),
    ];
    let holds = |role: &Role, permission: &str| {
        let policy = Policy::new(&Roles::default(), [&role.name], None);
        let permission = Permission::parse(permission).unwrap();
        policy.lacks(permission, &Target::default()).is_none()
    };
    for (permission, viewer, operator, admin) in table {
        for (role, expected) in built_in().iter().zip([viewer, operator, admin]) {
            assert_eq!(
                holds(role, permission),
                expected,
                "{} {permission}",
                role.name
            );
        }
    }
}

#[test]
fn built_in_roles_keep_to_the_rules_for_roles() {
    for role in built_in() {
        assert_eq!(role.check(), Ok(()), "{}", role.name);
        assert!(role.is_built_in());
    }
}

#[test]
fn an_own_role_cannot_hide_a_built_in_one() {
    let roles = Roles::new(
        7,
        [
            own("viewer", vec![rule(&[ALL], &[ALL])]),
            own("team", Vec::new()),
        ],
    );
    let viewer = roles.get(&"viewer".parse().unwrap()).unwrap();
    assert!(Arc::ptr_eq(viewer, &built_in()[0]));
    let names: Vec<_> = roles.all().map(|role| role.name.as_str()).collect();
    assert_eq!(names, ["viewer", "operator", "admin", "team"]);
    assert_eq!(roles.version(), 7);
}

#[test]
fn a_role_has_a_bound_and_names_the_rule_that_is_wrong() {
    let good = rule(&["application"], &["get"]);
    let bad = rule(&["application"], &["explode"]);
    assert_eq!(own("a", vec![good.clone(); MAX_RULES]).check(), Ok(()));
    let more = own("a", vec![good.clone(); MAX_RULES + 1]).check();
    assert_eq!(more, Err(RoleError::TooManyRules));
    let error = own("a", vec![good, bad]).check().unwrap_err().to_string();
    assert!(error.starts_with("rule 2: no action 'explode'"), "{error}");
}

#[test]
fn a_role_has_a_bound_for_all_that_its_rules_name() {
    let named = |values: usize, bytes: usize| {
        let mut rule = rule(&["application"], &["get"]);
        let names = (0..values).map(|number| format!("{number:0bytes$}"));
        rule.selector.names = names.collect();
        rule
    };
    let wide = |rules: usize, values, bytes| own("a", vec![named(values, bytes); rules]).check();
    assert_eq!(wide(300, 64, 8), Ok(()));
    let error = wide(400, 64, 8).unwrap_err();
    assert!(
        matches!(error, RoleError::TooLarge { values: 26_400, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("team-*"), "{error}");
    let error = wide(100, 64, 256).unwrap_err();
    assert!(matches!(error, RoleError::TooLarge { bytes, .. } if bytes > 1_600_000));
}
