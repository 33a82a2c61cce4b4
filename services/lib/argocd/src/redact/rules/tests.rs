use super::*;

fn refused(text: &str) -> String {
    Rules::parse(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn an_empty_file_adds_nothing() {
    for text in ["", "# nothing yet\n", "hide: []\nshow: []\n"] {
        let rules = Rules::parse(text.as_bytes()).unwrap();
        assert_eq!(rules.hidden.len(), SECRET_VARIABLES.len(), "{text}");
    }
}

#[test]
fn a_rule_that_cannot_be_used_is_named_by_its_line_and_what_would_be_right() {
    let check = |text: &str, words: &[&str]| {
        let refused = refused(text);
        assert!(
            words.iter().all(|word| refused.contains(word)),
            "{text}: {refused}"
        );
    };
    check(
        "hide:\n- environment: A\n- {}\n",
        &["line 3", "one of environment"],
    );
    check(
        "hide:\n- environment: A\n  label: b\n",
        &["line 2", "exactly one of environment"],
    );
    check(
        "hide:\n- environment: ''\n",
        &["line 2", "environment must have 1 to 512"],
    );
    check(
        "hide:\n- path: spec..a\n",
        &["line 2", "path at character 6"],
    );
    check(
        "hide:\n- path: a\n  kind: '*'\n",
        &["line 2", "kind does not accept wildcards"],
    );
    check("hide:\n- variable: A\n", &["variable", "line 2"]);
    check("hide: 7\n", &["line 1"]);
    check("hidden: []\n", &["hidden"]);
    check("- hide\n", &["not a list of rules"]);
}

#[test]
fn a_rule_that_shows_must_name_exactly_what() {
    let check = |rule: &str, word: &str| {
        let refused = refused(&format!("show:\n- {rule}\n"));
        assert!(
            refused.contains("line 2") && refused.contains(word),
            "{rule}: {refused}"
        );
    };
    check(
        "{environment: '*_KEY', kind: Pod}",
        "does not accept wildcards",
    );
    check("{path: 'spec.*', kind: Pod}", "does not accept wildcards");
    check(
        "{path: 'spec.env[name=A].value', kind: Pod}",
        "accepts one field",
    );
    check("{environment: A_KEY}", "needs the kind");
    check("{kind: Pod}", "one of environment");
}

#[test]
fn a_rule_is_about_the_objects_that_it_names() {
    let text = "hide:\n- {label: a, kind: Pod}\n- {label: b, kind: Deployment.apps, namespace: x, name: n}\n- label: c\n";
    let rules = Rules::parse(text.as_bytes()).unwrap();
    let about = |group: &str, kind: &str, namespace: &str, name: &str| {
        let object = Object {
            group: group.to_owned(),
            kind: kind.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        let hidden = rules.hide_rules(&object);
        let named = |label: &str| {
            hidden
                .iter()
                .any(|rule| rule.matches_name(NameKind::Label, label))
        };
        ["a", "b", "c"]
            .into_iter()
            .filter(|label| named(label))
            .collect::<String>()
    };
    assert_eq!(about("", "Pod", "y", "m"), "ac");
    assert_eq!(about("apps", "Deployment", "x", "n"), "bc");
    assert_eq!(about("extensions", "Deployment", "x", "n"), "c");
    assert_eq!(about("apps", "Deployment", "x", "m"), "c");
    assert_eq!(about("apps", "Deployment", "y", "n"), "c");
}

#[test]
fn too_many_rules_are_not_taken() {
    let text = format!("hide:\n{}", "- label: a\n".repeat(MAX_RULES + 1));
    assert!(refused(&text).contains("at most 1000"));
}
