use proptest::{collection::vec, prelude::*};

use super::*;

const NAMES: &[&str] = &["a", "b", "team-a", "team-b", "web-1", ""];
const PATTERNS: &[&str] = &["a", "team-*", "*", "web-?", "*-b", "none", ""];

#[derive(Clone, Debug)]
struct Named {
    places: [String; 5],
    labels: BTreeMap<String, String>,
}

impl Named {
    fn object(&self) -> ApplicationAttributes<'_> {
        let [runtime, cluster, project, namespace, name] = self.places.each_ref();
        ApplicationAttributes {
            runtime,
            cluster,
            project,
            namespace,
            name,
            labels: &self.labels,
        }
    }
}

fn web() -> Named {
    Named {
        places: ["east", "in-cluster", "shop", "team-a", "web-1"].map(str::to_owned),
        labels: [("tier".to_owned(), "front".to_owned())].into(),
    }
}

fn scope(rules: &str) -> Scope {
    serde_json::from_str(rules).unwrap()
}

fn holds(rule: &str) -> bool {
    let scope = scope(&format!(r#"{{"rules":[{rule}]}}"#));
    scope.contains(&web().object())
}

#[test]
fn every_selector_of_a_rule_must_hold() {
    for rule in [
        r"{}",
        r#"{"runtimes":["west","east"]}"#,
        r#"{"clusters":["in-*"],"projects":["shop"]}"#,
        r#"{"namespaces":["team-?"],"names":["*-1"]}"#,
        r#"{"labels":{"tier":"front"}}"#,
    ] {
        assert!(holds(rule), "{rule}");
    }
    for rule in [
        r#"{"runtimes":["west"]}"#,
        r#"{"runtimes":["east"],"clusters":["other"]}"#,
        r#"{"projects":["shop"],"names":["web"]}"#,
        r#"{"namespaces":["team-??"]}"#,
        r#"{"labels":{"tier":"*"}}"#,
        r#"{"labels":{"tier":"front","team":"a"}}"#,
        r#"{"products":["*"]}"#,
        r#"{"environments":["prod"]}"#,
    ] {
        assert!(!holds(rule), "{rule}");
    }
}

#[test]
fn without_a_rule_nothing_is_in_scope_and_limits_narrow_what_rules_allow() {
    let web = web();
    for (text, expected) in [
        (r"{}", false),
        (r#"{"limits":[{}]}"#, false),
        (r#"{"rules":[{}]}"#, true),
        (r#"{"rules":[{}],"limits":[]}"#, false),
        (r#"{"rules":[{}],"limits":[{"projects":["bank"]}]}"#, false),
        (r#"{"rules":[{"projects":["bank"]}],"limits":[{}]}"#, false),
        (
            r#"{"rules":[{"names":["web-*"]}],"limits":[{"projects":["bank"]},{"projects":["shop"]}]}"#,
            true,
        ),
    ] {
        assert_eq!(scope(text).contains(&web.object()), expected, "{text}");
    }
}

#[test]
fn the_json_form_is_fixed_and_an_unknown_selector_is_refused() {
    let text = concat!(
        r#"{"role":"operator","rules":[{"runtimes":["east"],"clusters":["c"],"projects":["shop"],"#,
        r#""namespaces":["team-*"],"names":["web"],"labels":{"a":"1","b":"2"},"products":["p"],"#,
        r#""environments":["e"]}],"limits":[],"policy_version":"7"}"#,
    );
    let read = scope(text);
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
    assert_eq!(serde_json::to_string(&Scope::default()).unwrap(), "{}");
    for text in [
        r#"{"rules":[{"regions":["eu"]}]}"#,
        r#"{"rules":[{}],"except":[{}]}"#,
        r#"{"rules":[{"names":"web"}]}"#,
    ] {
        assert!(serde_json::from_str::<Scope>(text).is_err(), "{text}");
    }
}

#[test]
fn a_scope_that_does_not_fit_says_how_to_make_it_smaller() {
    let of = |count: usize, length: usize| Scope {
        rules: vec![
            ScopeRule {
                names: vec!["x".repeat(length)],
                ..ScopeRule::default()
            };
            count
        ],
        ..Scope::default()
    };
    assert_eq!(of(MAX_RULES, 1).check_size(), Ok(()));
    assert_eq!(of(1, MAX_SCOPE_BYTES - 50).check_size(), Ok(()));
    for scope in [
        of(MAX_RULES + 1, 1),
        of(1, MAX_SCOPE_BYTES),
        Scope {
            limits: Some(of(MAX_RULES, 1).rules),
            ..of(1, 1)
        },
    ] {
        let text = scope.check_size().unwrap_err().to_string();
        assert!(text.contains("make the role smaller"), "{text}");
    }
}

#[test]
fn a_rule_without_limits_stands_for_all() {
    let scope = scope(
        r#"{"rules":[{"names":["a"]},{"names":["a"]},{"products":["p"]}],"limits":[{"names":["a"]},{"runtimes":["b","*"]}]}"#,
    );
    let reduced = scope.reduced();
    assert_eq!(reduced.rules.len(), 1);
    assert_eq!(reduced.limits, Some(vec![ScopeRule::default()]));
    assert!(!reduced.is_everything());
    assert!(Scope::everything("admin").is_everything());
}

#[test]
fn the_fingerprint_follows_the_rules_alone() {
    let one = scope(r#"{"role":"a","rules":[{"names":["x"]}],"policy_version":"1"}"#);
    let same = scope(r#"{"role":"b","rules":[{"names":["x"]}],"policy_version":"2"}"#);
    assert_eq!(one.fingerprint(), same.fingerprint());
    for other in [
        r#"{"rules":[{"names":["y"]}]}"#,
        r#"{"rules":[{"projects":["x"]}]}"#,
        r#"{"rules":[{"names":["x"]}],"limits":[]}"#,
        r"{}",
    ] {
        assert_ne!(
            one.fingerprint(),
            scope(other).fingerprint(),
            "{other} is not the same"
        );
    }
}

fn naive_glob(pattern: &[u8], value: &[u8]) -> bool {
    match (pattern, value) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=value.len()).any(|from| naive_glob(rest, &value[from..])),
        ([b'?', rest @ ..], [_, others @ ..]) => naive_glob(rest, others),
        ([wanted, rest @ ..], [found, others @ ..]) => wanted == found && naive_glob(rest, others),
        _ => false,
    }
}

/// The words of the contract, one by one.
fn naive(scope: &Scope, named: &Named) -> bool {
    let rule_holds = |rule: &ScopeRule| {
        let lists = [
            &rule.runtimes,
            &rule.clusters,
            &rule.projects,
            &rule.namespaces,
            &rule.names,
        ];
        for (list, value) in lists.into_iter().zip(&named.places) {
            let mut patterns = list.iter();
            if !list.is_empty() && !patterns.any(|one| naive_glob(one.as_bytes(), value.as_bytes()))
            {
                return false;
            }
        }
        for wanted in &rule.labels {
            if !named.labels.iter().any(|label| label == wanted) {
                return false;
            }
        }
        rule.products.is_empty() && rule.environments.is_empty()
    };
    let allowed = scope.rules.iter().any(rule_holds);
    let within = match &scope.limits {
        None => true,
        Some(limits) => limits.iter().any(rule_holds),
    };
    allowed && within
}

fn texts(of: &'static [&'static str], most: usize) -> impl Strategy<Value = Vec<String>> {
    let one = prop::sample::select(of).prop_map(str::to_owned);
    vec(one, 0..=most)
}

fn labels() -> impl Strategy<Value = BTreeMap<String, String>> {
    let pair = (
        prop::sample::select(&["k", "l"][..]),
        prop::sample::select(&["1", "2"][..]),
    );
    let pairs = vec(pair, 0..3);
    pairs.prop_map(|pairs| {
        let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        pairs.into_iter().map(owned).collect()
    })
}

fn rules() -> impl Strategy<Value = Vec<ScopeRule>> {
    let lists = prop::array::uniform5(texts(PATTERNS, 2));
    let absent = texts(&["p"], 1);
    let rule = (lists, labels(), absent).prop_map(|(lists, labels, products)| {
        let [runtimes, clusters, projects, namespaces, names] = lists;
        ScopeRule {
            runtimes,
            clusters,
            projects,
            namespaces,
            names,
            labels,
            products,
            environments: Vec::new(),
        }
    });
    vec(rule, 0..4)
}

fn scopes() -> impl Strategy<Value = Scope> {
    (rules(), prop::option::of(rules())).prop_map(|(rules, limits)| Scope {
        rules,
        limits,
        ..Scope::default()
    })
}

fn objects() -> impl Strategy<Value = Named> {
    let name = prop::sample::select(NAMES).prop_map(str::to_owned);
    (prop::array::uniform5(name), labels()).prop_map(|(places, labels)| Named { places, labels })
}

proptest! {
    #[test]
    fn the_answer_is_that_of_a_naive_reader(scope in scopes(), named in objects()) {
        let expected = naive(&scope, &named);
        prop_assert_eq!(scope.contains(&named.object()), expected);
        prop_assert_eq!(scope.clone().reduced().contains(&named.object()), expected);
        if scope.is_everything() {
            prop_assert!(expected);
        }
        let text = serde_json::to_string(&scope).unwrap();
        prop_assert_eq!(serde_json::from_str::<Scope>(&text).unwrap(), scope);
    }
}

#[test]
fn what_no_application_has_is_covered_only_by_rules_that_say_where() {
    let ground = UnownedObject {
        runtime: "east",
        cluster: "in-cluster",
        namespace: "team-a",
    };
    let covers = |rules: &str| scope(rules).contains_unowned(&ground);
    for rules in [
        r#"{"rules":[{}]}"#,
        r#"{"rules":[{"runtimes":["east"]}]}"#,
        r#"{"rules":[{"runtimes":["west"]},{"clusters":["in-*"],"namespaces":["team-?"]}]}"#,
        r#"{"rules":[{"projects":["*"],"names":["*"]}]}"#,
        r#"{"rules":[{}],"limits":[{"runtimes":["east"]}]}"#,
    ] {
        assert!(covers(rules), "{rules}");
    }
    for rules in [
        "{}",
        r#"{"rules":[{"runtimes":["west"]}]}"#,
        r#"{"rules":[{"namespaces":["team-b"]}]}"#,
        r#"{"rules":[{"runtimes":["east"],"projects":["shop"]}]}"#,
        r#"{"rules":[{"names":["*a*"]}]}"#,
        r#"{"rules":[{"labels":{"tier":"front"}}]}"#,
        r#"{"rules":[{"products":["shop"]}]}"#,
        r#"{"rules":[{}],"limits":[{"projects":["shop"]}]}"#,
        r#"{"rules":[{}],"limits":[]}"#,
    ] {
        assert!(!covers(rules), "{rules}");
    }
}
