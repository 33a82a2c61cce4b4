//! Oracle over a small finite world: expands each rule to the set of objects. Shares only the vocabulary with the engine.

use std::collections::BTreeSet;

use causeway_assertion::ApplicationAttributes;
use proptest::{prelude::*, sample::subsequence};

use super::*;

const PERMISSIONS: [&str; 6] = [
    "application.get",
    "application.list",
    "application.sync",
    "runtime.get",
    "user.list",
    "audit.list",
];
const NAMES: [&str; 6] = ["a", "b", "ab", "ba", "aab", ""];
const PATTERNS: [&str; 9] = ["a", "b", "*", "?", "a*", "*b", "?b", "*a*", "ab"];
const PROJECTS: [&str; 3] = ["a", "ab", "*b"];
const ENTITIES: [&str; 5] = ["application", "runtime", "user", "audit", "*"];
const ACTIONS: [&str; 4] = ["get", "list", "sync", "*"];

/// A thing: runtime, project, name, and whether it has the label.
type Thing = (&'static str, &'static str, &'static str, bool);

fn things() -> Vec<Thing> {
    let mut things = Vec::new();
    for runtime in NAMES {
        for project in ["a", "ab"] {
            for name in NAMES {
                things.push((runtime, project, name, false));
                things.push((runtime, project, name, true));
            }
        }
    }
    things
}

/// All texts of the world that a pattern means, by trying out what each `*` could stand for.
fn meant(pattern: &str) -> BTreeSet<String> {
    let mut meant = BTreeSet::from([String::new()]);
    for symbol in pattern.chars() {
        let stands: Vec<String> = match symbol {
            '?' => words(&["a", "b"]),
            '*' => words(&["", "a", "b", "aa", "ab", "ba", "bb", "aab"]),
            literal => vec![literal.to_string()],
        };
        let mut longer = BTreeSet::new();
        for text in &meant {
            longer.extend(stands.iter().map(|stand| format!("{text}{stand}")));
        }
        meant = longer;
    }
    meant
}

fn is_meant(patterns: &[String], text: &str) -> bool {
    let mut patterns_that_mean = patterns.iter().filter(|it| meant(it).contains(text));
    patterns.is_empty() || patterns_that_mean.next().is_some()
}

/// The permissions of the world that a rule names.
fn named(rule: &Rule) -> BTreeSet<&'static str> {
    let mut named = BTreeSet::new();
    for known in PERMISSIONS {
        let (entity, action) = known.split_once('.').unwrap();
        let entities = [entity.to_owned(), "*".to_owned()];
        let actions = [action.to_owned(), "*".to_owned()];
        let has = |words: &[String], any: &[String; 2]| any.iter().any(|it| words.contains(it));
        if has(&rule.entities, &entities) && has(&rule.actions, &actions) {
            named.insert(known);
        }
    }
    named
}

fn oracle_rule(rule: &Rule, permission: &str, thing: Thing) -> bool {
    let (runtime, project, name, labelled) = thing;
    if !named(rule).contains(permission) {
        return false;
    }
    let of = &rule.selector;
    if *of == Selector::default() {
        return true;
    }
    // Nobody looks at selectors where the audit is.
    !permission.starts_with("audit.")
        && of.products.is_empty()
        && is_meant(&of.runtimes, runtime)
        && is_meant(&of.projects, project)
        && is_meant(&of.names, name)
        && (of.labels.is_empty() || labelled)
}

fn oracle(held: &[Vec<Rule>], limit: Option<&Vec<Rule>>, permission: &str, thing: Thing) -> bool {
    let any = |rules: &[Rule]| {
        rules
            .iter()
            .any(|rule| oracle_rule(rule, permission, thing))
    };
    held.iter().any(|rules| any(rules)) && limit.is_none_or(|rules| any(rules))
}

fn some(
    of: &'static [&'static str],
    least: usize,
    most: usize,
) -> impl Strategy<Value = Vec<String>> {
    subsequence(of.to_vec(), least..=most).prop_map(|texts| words(&texts))
}

fn selector() -> impl Strategy<Value = Selector> {
    let parts = (
        some(&PATTERNS, 0, 2),
        some(&PROJECTS, 0, 2),
        some(&PATTERNS, 0, 2),
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.05),
    );
    parts.prop_map(|(runtimes, projects, names, labelled, product)| Selector {
        runtimes,
        projects,
        names,
        labels: labels(labelled),
        products: if product { words(&["*"]) } else { Vec::new() },
        ..Selector::default()
    })
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let parts = (
        some(&ENTITIES, 1, 2),
        some(&ACTIONS, 1, 2),
        prop_oneof![1 => Just(Selector::default()), 4 => selector()],
    );
    let rule = parts.prop_map(|(entities, actions, selector)| Rule {
        entities,
        actions,
        selector,
    });
    prop::collection::vec(rule, 0..4)
}

fn labels(labelled: bool) -> BTreeMap<String, String> {
    let label = || ("team".to_owned(), "x".to_owned());
    labelled.then(label).into_iter().collect()
}

/// The engine's policy of the same rules.
fn made(held: &[Vec<Rule>], limit: Option<&Vec<Rule>>) -> Policy {
    let names = ["one", "two", "three"];
    let rules = held.iter().cloned().zip(names);
    let mut roles: Vec<_> = rules.map(|(rules, name)| role(name, rules)).collect();
    roles.extend(limit.map(|rules| role("limit", rules.clone())));
    policy(roles, &names[..held.len()], limit.map(|_| "limit"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_engine_decides_as_the_oracle_does(
        held in prop::collection::vec(rules(), 0..3),
        limit in prop::option::weighted(0.4, rules()),
    ) {
        let policy = made(&held, limit.as_ref());
        for text in PERMISSIONS {
            let permission = permission(text);
            let scope = policy.scope(permission, None);
            for thing in things() {
                let (runtime, project, name, labelled) = thing;
                let labels = labels(labelled);
                let expected = oracle(&held, limit.as_ref(), text, thing);
                let target = Target {
                    runtime: Some(runtime),
                    cluster: Some(""),
                    project: Some(project),
                    namespace: Some(""),
                    name: Some(name),
                    labels: Some(&labels),
                };
                let decided = policy.lacks(permission, &target).is_none();
                prop_assert_eq!(decided, expected, "{} {:?}", text, thing);
                // What goes into an assertion says the same where the thing is.
                let object = ApplicationAttributes {
                    runtime,
                    cluster: "",
                    project,
                    namespace: "",
                    name,
                    labels: &labels,
                };
                let carried = scope.as_ref().is_ok_and(|scope| scope.contains(&object));
                prop_assert_eq!(carried, expected, "{} {:?} {:?}", text, thing, scope);
                let there = policy.scope(permission, Some(runtime));
                let carried = there.is_ok_and(|scope| scope.contains(&object));
                prop_assert_eq!(carried, expected, "{} in {:?}", text, thing);
            }
        }
    }

    #[test]
    fn what_may_be_given_allows_nothing_that_is_not_held(
        held in prop::collection::vec(rules(), 1..3),
        limit in prop::option::weighted(0.3, rules()),
        given in rules(),
    ) {
        if made(&held, limit.as_ref()).check_grant(&given).is_ok() {
            for text in PERMISSIONS {
                for thing in things() {
                    let gives = oracle(std::slice::from_ref(&given), None, text, thing);
                    let holds = oracle(&held, limit.as_ref(), text, thing);
                    prop_assert!(!gives || holds, "{} {:?}", text, thing);
                }
            }
        }
    }

    #[test]
    fn what_is_not_known_hides_nothing_that_is_allowed(
        held in prop::collection::vec(rules(), 0..3),
    ) {
        let policy = made(&held, None);
        for text in PERMISSIONS {
            let somewhere = policy.lacks(permission(text), &Target::default()).is_none();
            let anywhere = things().into_iter().any(|thing| oracle(&held, None, text, thing));
            prop_assert!(somewhere || !anywhere, "{}", text);
        }
    }
}
