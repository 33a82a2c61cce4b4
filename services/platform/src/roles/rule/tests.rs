use super::*;

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn rule(entities: &[&str], actions: &[&str], selector: Selector) -> Rule {
    Rule {
        entities: words(entities),
        actions: words(actions),
        selector,
    }
}

fn permission(text: &str) -> Permission<'_> {
    Permission::parse(text).unwrap()
}

fn everything(change: impl FnOnce(&mut Selector)) -> Selector {
    let mut selector = Selector::default();
    change(&mut selector);
    selector
}

#[test]
fn a_permission_is_two_words_with_a_dot() {
    assert!(Permission::parse("api-key.list").is_some());
    for text in [
        "", ".", "a.", ".a", "a", "*.*", "a.b.c", "A.b", "a b.c", "a.*",
    ] {
        assert_eq!(Permission::parse(text), None, "{text}");
    }
    assert!(permission("application.sync").is_known());
    assert!(!permission("application.explode").is_known());
}

#[test]
fn the_contract_names_what_selectors_are_for() {
    for entity in SELECTABLE {
        let mut known = permissions().iter();
        assert!(
            known.any(|permission| permission.entity() == entity),
            "{entity}"
        );
    }
}

#[test]
fn a_rule_allows_its_actions_on_its_entities() {
    let table = [
        (rule(&["application"], &["sync"], Selector::default()), true),
        (rule(&["*"], &["sync"], Selector::default()), true),
        (rule(&["application"], &["*"], Selector::default()), true),
        (
            rule(
                &["runtime", "application"],
                &["get", "sync"],
                Selector::default(),
            ),
            true,
        ),
        (rule(&["runtime"], &["sync"], Selector::default()), false),
        (rule(&["application"], &["get"], Selector::default()), false),
        (rule(&["app*"], &["sync"], Selector::default()), false),
        (rule(&[], &["*"], Selector::default()), false),
    ];
    for (rule, expected) in table {
        let allowed = rule.allows(permission("application.sync"), &Target::default());
        assert_eq!(allowed == Selection::Yes, expected, "{rule:?}");
    }
}

#[test]
fn each_field_of_a_selector_selects() {
    let labels = BTreeMap::from([("team".to_owned(), "a".to_owned())]);
    let target = Target {
        runtime: Some("east"),
        cluster: Some("in-cluster"),
        project: Some("shop"),
        namespace: Some("argocd"),
        name: Some("guestbook"),
        labels: Some(&labels),
    };
    let table = [
        (
            everything(|of| of.runtimes = words(&["west", "e*"])),
            Selection::Yes,
        ),
        (
            everything(|of| of.runtimes = words(&["west"])),
            Selection::No,
        ),
        (
            everything(|of| of.clusters = words(&["in-?luster"])),
            Selection::Yes,
        ),
        (everything(|of| of.clusters = words(&["in"])), Selection::No),
        (
            everything(|of| of.projects = words(&["shop"])),
            Selection::Yes,
        ),
        (
            everything(|of| of.projects = words(&["shops"])),
            Selection::No,
        ),
        (
            everything(|of| of.namespaces = words(&["argo*"])),
            Selection::Yes,
        ),
        (
            everything(|of| of.namespaces = words(&["?"])),
            Selection::No,
        ),
        (
            everything(|of| of.names = words(&["*book"])),
            Selection::Yes,
        ),
        (everything(|of| of.names = words(&["book"])), Selection::No),
        (everything(|of| of.labels = labels.clone()), Selection::Yes),
        (
            everything(|of| of.labels = [("team".to_owned(), "b".to_owned())].into()),
            Selection::No,
        ),
        (
            everything(|of| of.labels = [("a".to_owned(), "a".to_owned())].into()),
            Selection::No,
        ),
        (everything(|of| of.products = words(&["*"])), Selection::No),
        (
            everything(|of| of.environments = words(&["*"])),
            Selection::No,
        ),
    ];
    for (selector, expected) in table {
        let rule = rule(&["application"], &["get"], selector);
        let known = rule.allows(permission("application.get"), &target);
        assert_eq!(known, expected, "{rule:?}");
        let unknown = rule.allows(permission("application.get"), &Target::default());
        let never = !rule.selector.is_possible();
        let expected = if never {
            Selection::No
        } else {
            Selection::Perhaps
        };
        assert_eq!(unknown, expected, "{rule:?}");
    }
}

#[test]
fn a_selector_allows_nothing_where_nobody_looks_at_it() {
    let limited = everything(|of| of.runtimes = words(&["east"]));
    let rule = rule(&["*"], &["*"], limited);
    for permission in permissions() {
        let allowed = rule.allows(*permission, &Target::default()) != Selection::No;
        assert_eq!(allowed, permission.is_selectable(), "{permission}");
    }
}

#[test]
fn a_rule_covers_what_allows_no_more() {
    let own = rule(
        &["application"],
        &["get", "sync"],
        everything(|of| {
            of.runtimes = words(&["east", "prod-*"]);
            of.labels = [("team".to_owned(), "a".to_owned())].into();
        }),
    );
    let team = |of: &mut Selector| of.labels = [("team".to_owned(), "a".to_owned())].into();
    let narrow = everything(|of| {
        team(of);
        of.runtimes = words(&["prod-eu-*", "east"]);
        of.names = words(&["x"]);
    });
    assert!(own.covers("application", "sync", &narrow));
    assert!(!own.covers("application", "refresh", &narrow));
    assert!(!own.covers("application", "*", &narrow));
    assert!(!own.covers("*", "sync", &narrow));
    let wide = [
        everything(|_| {}),
        everything(team),
        everything(|of| of.runtimes = words(&["east"])),
        everything(|of| {
            team(of);
            of.runtimes = words(&["east", "west"]);
        }),
        everything(|of| {
            team(of);
            of.runtimes = words(&["*"]);
        }),
    ];
    for selector in wide {
        assert!(
            !own.covers("application", "sync", &selector),
            "{selector:?}"
        );
    }
    let all = rule(&["*"], &["*"], Selector::default());
    assert!(all.covers("*", "*", &Selector::default()));
}

#[test]
fn a_rule_that_names_nothing_or_too_much_is_refused() {
    let good = rule(&["application", "*"], &["sync", "*"], Selector::default());
    assert_eq!(good.check(), Ok(()));
    let many = vec!["x".to_owned(); MOST_VALUES + 1];
    let cases = [
        (rule(&[], &["get"], Selector::default()), "no entities"),
        (rule(&["runtime"], &[], Selector::default()), "no actions"),
        (
            rule(&["applications"], &["get"], Selector::default()),
            "no entity 'applications'",
        ),
        (
            rule(&["runtime"], &["explode"], Selector::default()),
            "no action 'explode'",
        ),
        (
            rule(&["runtime"], &["get"], everything(|of| of.names = many)),
            "names: more than 64",
        ),
        (
            rule(
                &["runtime"],
                &["get"],
                everything(|of| of.names = words(&[""])),
            ),
            "names: a value",
        ),
        (
            rule(
                &["runtime"],
                &["get"],
                everything(|of| of.clusters = words(&["a\nb"])),
            ),
            "clusters: ",
        ),
        (
            rule(
                &["runtime"],
                &["get"],
                everything(|of| of.products = vec!["x".repeat(257)]),
            ),
            "products: ",
        ),
        (
            rule(
                &["runtime"],
                &["get"],
                everything(|of| of.labels = [(String::new(), String::new())].into()),
            ),
            "labels: ",
        ),
    ];
    for (rule, expected) in cases {
        let error = rule.check().unwrap_err().to_string();
        assert!(error.starts_with(expected), "{expected}: {error}");
    }
}

#[test]
fn a_rule_is_read_back_from_its_row() {
    let selector = everything(|of| {
        of.names = words(&["a", "b*"]);
        of.labels = [("k".to_owned(), "v".to_owned())].into();
    });
    for rule in [
        rule(&["*"], &["*"], Selector::default()),
        rule(&["application"], &["get"], selector),
    ] {
        let text = serde_json::to_string(&rule).unwrap();
        assert_eq!(serde_json::from_str::<Rule>(&text).unwrap(), rule);
    }
}
