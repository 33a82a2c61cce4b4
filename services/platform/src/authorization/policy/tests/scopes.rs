use super::*;

const LIST: &str = "application.list";

fn scope(
    roles: Vec<Role>,
    limit: Option<&str>,
    runtime: Option<&str>,
) -> Result<Scope, ScopeRefusal> {
    let held: Vec<_> = roles.iter().map(|role| role.name.to_string()).collect();
    let held = held.iter().map(String::as_str);
    let held: Vec<_> = held.filter(|name| Some(*name) != limit).collect();
    policy(roles, &held, limit).scope(permission(LIST), runtime)
}

#[test]
fn a_rule_without_limits_swallows_all_others() {
    let rules = vec![
        rule("application", "list", |of| of.names = words(&["a"])),
        rule("*", "*", |_| {}),
        rule("application", "*", |of| of.projects = words(&["b"])),
    ];
    let scope = scope(vec![role("all", rules)], None, None).unwrap();
    assert_eq!(scope.rules, [ScopeRule::default()]);
    assert!(scope.is_everything());
    let title = (scope.role.as_str(), scope.policy_version.as_str());
    assert_eq!(title, ("all", "3"));
}

#[test]
fn rules_that_differ_in_one_field_become_one_and_others_stay_apart() {
    let rules = (0..1000).map(|number| {
        rule("application", "list", |of| {
            of.projects = words(&["shop"]);
            of.names = vec![format!("n{}", number % 50)];
        })
    });
    let mut rules: Vec<_> = rules.collect();
    rules.push(rule("application", "list", |of| {
        of.namespaces = words(&["x"]);
    }));
    let scope = scope(vec![role("many", rules)], None, None).unwrap();
    let mut sizes: Vec<_> = scope.rules.iter().map(|rule| rule.names.len()).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [0, 50]);
}

#[test]
fn rules_that_cannot_match_the_runtime_are_left_out() {
    let rules = vec![
        rule("application", "list", |of| of.runtimes = words(&["east-*"])),
        rule("application", "list", |of| {
            of.runtimes = words(&["west"]);
            of.projects = words(&["shop"]);
        }),
    ];
    let own = || vec![role("two", rules.clone())];
    let west = scope(own(), None, Some("west")).unwrap();
    assert_eq!(west.rules.len(), 1);
    assert_eq!(west.rules[0].projects, ["shop"]);
    assert_eq!(scope(own(), None, None).unwrap().rules.len(), 2);
    let north = scope(own(), None, Some("north"));
    assert_eq!(north, Err(ScopeRefusal::Elsewhere));
}

#[test]
fn what_names_a_product_holds_for_nothing_and_is_not_carried() {
    let product = rule("application", "list", |of| of.products = words(&["*"]));
    let refused = scope(vec![role("one", vec![product.clone()])], None, None);
    assert!(
        matches!(refused, Err(ScopeRefusal::Denied(_))),
        "{refused:?}"
    );
    let named = rule("application", "list", |of| of.names = words(&["a"]));
    let scope = scope(vec![role("two", vec![product, named])], None, None).unwrap();
    assert_eq!(scope.rules.len(), 1);
}

#[test]
fn the_rules_of_a_credential_are_limits_and_are_never_mixed_with_those_of_its_owner() {
    let of_owner = rule("application", "*", |of| of.projects = words(&["a"]));
    let of_key = rule("application", "list", |of| of.names = words(&["b"]));
    let roles = vec![role("owner", vec![of_owner]), role("key", vec![of_key])];
    let scope = scope(roles, Some("key"), None).unwrap();
    assert_eq!(scope.rules.len(), 1);
    assert_eq!(scope.rules[0].projects, ["a"]);
    assert_eq!(scope.limits.as_ref().unwrap()[0].names, ["b"]);
    assert_eq!(scope.role, "owner/key");
}

#[test]
fn too_many_rules_are_refused_with_their_number() {
    let rules = (0..70).map(|number| {
        rule("application", "list", |of| {
            of.projects = vec![format!("p{number}")];
            of.names = vec![format!("n{number}")];
        })
    });
    let refused = scope(vec![role("large", rules.collect())], None, None).unwrap_err();
    let ScopeRefusal::TooLarge(size) = refused else {
        panic!("{refused}");
    };
    assert_eq!(size.rules, 70);
}
