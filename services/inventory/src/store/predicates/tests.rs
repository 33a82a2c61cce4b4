use super::*;
use crate::fixture::visible;

#[derive(Default)]
struct Text(String);

impl Sql for Text {
    fn text(&mut self, text: &'static str) {
        self.0.push_str(text);
    }

    fn value(&mut self, value: String) {
        self.0.push_str(&format!("<{value}>"));
    }

    fn pattern(&mut self, pattern: &str) {
        self.0.push_str(&format!(" GLOB <{pattern}>"));
    }
}

fn planned(rules: &str) -> String {
    let visible = visible(rules);
    match plan_scope(&visible) {
        ScopePlan::Everything => "everything".to_owned(),
        ScopePlan::Scan => "scan".to_owned(),
        ScopePlan::Lookups(predicates) => {
            let one = |(column, value): &(&str, &str)| format!("{column}={value}");
            let text = |predicate: &IndexPredicate<'_>| {
                let label = predicate
                    .label
                    .map(|(label, value)| format!("{label}:{value}"));
                let equal = predicate.equal.iter().map(one).chain(label);
                equal.collect::<Vec<_>>().join("+")
            };
            let texts: Vec<String> = predicates.iter().map(text).collect();
            texts.join(" ")
        }
    }
}

#[test]
fn literals_are_looked_up_and_globs_are_scanned() {
    for (rules, expected) in [
        ("[{}]", "everything"),
        ("[]", ""),
        (
            r#"[{"projects":["shop","bank"]}]"#,
            "project=shop project=bank",
        ),
        (
            r#"[{"projects":["shop"],"runtimes":["east","west"]},{"runtimes":["north"]}]"#,
            "project=shop+runtime_name=east project=shop+runtime_name=west runtime_name=north",
        ),
        (
            r#"[{"projects":["shop"],"names":["web"],"namespaces":["a-*"]}]"#,
            "name=web",
        ),
        (
            r#"[{"projects":["shop"]},{"namespaces":["team-*"]}]"#,
            "scan",
        ),
        (r#"[{"labels":{"a":"b","c":"d"}}]"#, "a:b"),
        (
            r#"[{"labels":{"a":"b"},"projects":["shop"]},{"labels":{"a":"c"},"namespaces":["x-*"]}]"#,
            "project=shop a:c",
        ),
        (r#"[{"clusters":["c"]}]"#, "scan"),
    ] {
        assert_eq!(planned(rules), expected, "{rules}");
    }
    let many: Vec<String> = (0..=MAX_PREDICATES)
        .map(|number| format!("p{number}"))
        .collect();
    let many = serde_json::json!([{ "projects": many }]).to_string();
    assert_eq!(planned(&many), "scan");
}

#[test]
fn too_many_combinations_are_scanned() {
    let names = |count: usize| (0..count).map(|at| format!("n{at}")).collect::<Vec<_>>();
    let scope = |namespaces, runtimes| {
        let rule =
            serde_json::json!({ "namespaces": names(namespaces), "runtimes": names(runtimes) });
        visible(&serde_json::json!([rule]).to_string())
    };
    let predicates = |namespaces, runtimes| {
        let visible = scope(namespaces, runtimes);
        predicates_of_rule(&visible.rules()[0]).len()
    };
    assert_eq!(predicates(4, MAX_PREDICATES / 4), MAX_PREDICATES);
    assert_eq!(predicates(4, MAX_PREDICATES / 4 + 1), 0);
    assert_eq!(predicates(400, 400), 0);
    assert_eq!(plan_scope(&scope(400, 400)), ScopePlan::Scan);
}

#[test]
fn limits_lead_if_the_rules_allow_everything() {
    let scope = r#"{"rules":[{}],"limits":[{"projects":["shop"]}]}"#;
    let visible = Visible::new(&serde_json::from_str(scope).unwrap());
    let ScopePlan::Lookups(predicates) = plan_scope(&visible) else {
        panic!("the limits are looked up");
    };
    assert_eq!(predicates[0].equal, [("project", "shop")]);
}

#[test]
fn each_selector_becomes_a_predicate() {
    let mut text = Text::default();
    let visible = visible(
        r#"[{"namespaces":["team_*","b","50%?"],"labels":{"k":"v"}},{"names":["*","x"],"projects":["a"],"products":["p"]}]"#,
    );
    push_rules(&mut text, &visible, Columns::All);
    assert_eq!(
        text.0,
        concat!(
            " AND (1 = 0 OR (1 = 1 AND (namespace IN (<b>) OR (1 = 0 OR namespace GLOB <team_*> OR namespace GLOB <50%?>))",
            " AND EXISTS (SELECT 1 FROM application_label WHERE application_id = id AND label = <k> AND value IN (<v>))))",
        )
    );
    let mut text = Text::default();
    push_rules(&mut text, &visible, Columns::KeyOnly);
    assert!(
        !text.0.contains("project") && !text.0.contains("label"),
        "{}",
        text.0
    );
}

#[test]
fn search_becomes_a_predicate() {
    let mut text = Text::default();
    let filter = Filter {
        labels: "a in (b,c),!d".parse().unwrap(),
        text: crate::application::Text::new("Web"),
        ..Filter::default()
    };
    push_search(&mut text, &filter, None);
    assert_eq!(
        text.0,
        concat!(
            " AND EXISTS (SELECT 1 FROM application_label WHERE application_id = id AND label = <a> AND value IN (<b>, <c>))",
            " AND NOT EXISTS (SELECT 1 FROM application_label WHERE application_id = id AND label = <d>)",
            " AND (name GLOB <*web*> OR namespace GLOB <*web*> OR project GLOB <*web*>)",
        )
    );
}

#[test]
fn covered_selectors_are_not_repeated() {
    let rules = r#"[{"projects":["shop","bank"],"namespaces":["team-*"]}]"#;
    let visible = visible(rules);
    let ScopePlan::Lookups(predicates) = plan_scope(&visible) else {
        panic!("projects are looked up");
    };
    let mut text = Text::default();
    push_predicate(&mut text, &predicates[0], &visible);
    assert_eq!(
        text.0,
        " AND project = <shop> AND (1 = 1 AND (namespace IN (NULL) OR (1 = 0 OR namespace GLOB <team-*>)))"
    );
    for (rules, expected) in [
        (r#"[{"labels":{"team":"a"}}]"#, " AND (1 = 1)"),
        (
            r#"[{"labels":{"team":"a","tier":"b"}}]"#,
            " AND (1 = 1 AND EXISTS (SELECT 1 FROM application_label WHERE application_id = id AND label = <tier> AND value IN (<b>)))",
        ),
    ] {
        let visible = crate::fixture::visible(rules);
        let ScopePlan::Lookups(predicates) = plan_scope(&visible) else {
            panic!("labels are looked up");
        };
        let mut text = Text::default();
        push_predicate(&mut text, &predicates[0], &visible);
        assert_eq!(text.0, expected, "{rules}");
        let all = single_rule(&visible).is_some_and(|rule| predicates[0].covers_rule(rule));
        assert_eq!(all, !rules.contains("tier"));
    }
    let filter = Filter {
        labels: "a in (b,c),a in (c)".parse().unwrap(),
        ..Filter::default()
    };
    for (covered, times) in [
        (None, 2),
        (Some(("a", "b")), 1),
        (Some(("a", "c")), 0),
        (Some(("d", "b")), 2),
    ] {
        let mut text = Text::default();
        push_search(&mut text, &filter, covered);
        assert_eq!(text.0.matches("EXISTS").count(), times, "{covered:?}");
    }
}
