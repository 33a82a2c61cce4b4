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
}

fn planned(rules: &str) -> String {
    let visible = visible(rules);
    match plan(&visible) {
        Plan::Everything => "everything".to_owned(),
        Plan::Scan => "scan".to_owned(),
        Plan::Anchors(anchors) => {
            let one = |(column, value): &(&str, &str)| format!("{column}={value}");
            let text = |anchor: &Anchor<'_>| {
                let equal: Vec<String> = anchor.equal.iter().map(one).collect();
                equal.join("+")
            };
            let texts: Vec<String> = anchors.iter().map(text).collect();
            texts.join(" ")
        }
    }
}

#[test]
fn named_values_are_looked_up_and_patterns_are_looked_for() {
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
        (r#"[{"labels":{"a":"b"}}]"#, "scan"),
        (r#"[{"clusters":["c"]}]"#, "scan"),
    ] {
        assert_eq!(planned(rules), expected, "{rules}");
    }
    let many: Vec<String> = (0..=MOST_ANCHORS)
        .map(|number| format!("p{number}"))
        .collect();
    let many = serde_json::json!([{ "projects": many }]).to_string();
    assert_eq!(planned(&many), "scan");
}

#[test]
fn limits_lead_where_the_rules_have_none() {
    let scope = r#"{"rules":[{}],"limits":[{"projects":["shop"]}]}"#;
    let visible = Visible::new(&serde_json::from_str(scope).unwrap());
    let Plan::Anchors(anchors) = plan(&visible) else {
        panic!("the limits are looked up");
    };
    assert_eq!(anchors[0].equal, [("project", "shop")]);
}

#[test]
fn patterns_become_likes_and_other_letters_stay_what_they_are() {
    let mut text = Text::default();
    let visible = visible(
        r#"[{"namespaces":["team_*","50%?"],"projects":["a"],"labels":{"k\"":"v_"}},{"names":["*"],"labels":{"x":"y"}}]"#,
    );
    push_rules(&mut text, &visible, Columns::All);
    assert_eq!(
        text.0,
        concat!(
            r" AND (1 = 0 OR (1 = 1 AND (1 = 0 OR namespace LIKE <team\_%> ESCAPE '\' OR namespace LIKE <50\%_> ESCAPE '\')",
            r#" AND (1 = 0 OR project = <a>) AND labels LIKE <%"k\\"":"v\_"%> ESCAPE '\') OR (1 = 1 AND labels LIKE <%"x":"y"%> ESCAPE '\'))"#,
        )
    );
    let mut text = Text::default();
    push_rules(&mut text, &visible, Columns::Place);
    assert!(
        !text.0.contains("project") && !text.0.contains("labels"),
        "{}",
        text.0
    );
}
