use proptest::prelude::*;

use super::*;

fn selected(selector: &str, labels: &[(&str, &str)]) -> bool {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let labels = labels.iter().map(owned).collect();
    selector.parse::<LabelSelector>().unwrap().matches(&labels)
}

#[test]
fn a_selector_selects_as_kubernetes_does() {
    let labels = [("team", "a"), ("tier", "gold"), ("empty", "")];
    for (selector, expected) in [
        ("", true),
        (" ", true),
        ("team=a", true),
        ("team==a", true),
        ("team = a", true),
        ("team=b", false),
        ("team!=b", true),
        ("team != a", false),
        ("none!=a", true),
        ("none=", false),
        ("empty=", true),
        ("empty", true),
        ("!empty", false),
        ("! none", true),
        ("team in (b,a)", true),
        ("team in(b)", false),
        ("team notin (b, c)", true),
        ("team notin (a)", false),
        ("none notin (a)", true),
        ("none in (a)", false),
        ("empty in (,a)", true),
        ("team=a,tier in (gold,iron),!none", true),
        ("team=a,tier notin (gold,iron)", false),
        ("in in (in)", false),
    ] {
        assert_eq!(selected(selector, &labels), expected, "{selector}");
    }
    let long = [("app.kubernetes.io/name", "Web_1.0-x")];
    assert!(selected("app.kubernetes.io/name=Web_1.0-x", &long));
}

#[test]
fn what_is_no_selector_is_told_with_what_is_wrong() {
    for (selector, expected) in [
        ("a,", "is none of"),
        (",", "is none of"),
        ("=a", "is none of"),
        ("a=b=c", "is none of"),
        ("a in b", "is none of"),
        ("a in (b", "is none of"),
        ("a in b)", "is none of"),
        ("a b", "is none of"),
        ("!a=b", "is none of"),
        ("!!a", "is none of"),
        ("a>1", "is no label"),
        ("-a", "is no label"),
        ("/a", "is no label"),
        ("a/b/c=d", "is no label"),
        ("a=-", "is no value"),
        ("a=b/c", "is no value"),
        ("a in (b,*)", "is no value"),
    ] {
        let error = selector.parse::<LabelSelector>().unwrap_err().to_string();
        assert!(error.contains(expected), "{selector}: {error}");
    }
    let many: Vec<String> = (0..=MOST_REQUIREMENTS).map(|it| format!("a{it}")).collect();
    assert_eq!(
        many.join(",").parse::<LabelSelector>(),
        Err(SelectorError::TooMany)
    );
    let many = format!("a in ({})", vec!["x"; MOST_VALUES + 1].join(","));
    assert_eq!(many.parse::<LabelSelector>(), Err(SelectorError::TooMany));
}

proptest! {
    #[test]
    fn no_text_is_too_much_for_it(text in "[ab=!(),in not/.-]{0,40}") {
        let _ = text.parse::<LabelSelector>();
    }
}
