use causeway_assertion::glob_matches;
use proptest::prelude::*;

use super::covers;

#[test]
fn a_pattern_covers_what_says_no_more() {
    let table = [
        ("*", "", true),
        ("*", "*", true),
        ("*", "a?b*", true),
        ("a*", "a", true),
        ("a*", "ab*", true),
        ("a*", "*", false),
        ("a*", "?a", false),
        ("a", "a", true),
        ("a", "?", false),
        ("?", "a", true),
        ("?", "*", false),
        ("?*", "*?", true),
        ("*?", "?*", true),
        ("*?", "*", false),
        ("*??", "?*?", true),
        ("*-prod", "eu-*-prod", true),
        ("*-prod", "eu-*", false),
        ("a*b*c", "ab*bc", true),
        ("a*b*c", "a*c", false),
        ("prod-?", "prod-10", false),
        ("ä?", "äö", true),
    ];
    for (wide, narrow, expected) in table {
        assert_eq!(covers(wide, narrow), expected, "{wide} covers {narrow}");
    }
}

#[test]
fn many_wildcards_are_no_work() {
    let (wide, narrow) = ("*a".repeat(128), "a".repeat(256));
    assert!(covers(&wide, &narrow));
    assert!(!covers(&format!("{wide}b"), &narrow));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_is_covered_matches_nothing_more(
        wide in "[ab*?]{0,6}",
        narrow in "[ab*?]{0,6}",
        texts in prop::collection::vec("[abc]{0,6}", 30),
    ) {
        if covers(&wide, &narrow) {
            for text in texts {
                prop_assert!(!glob_matches(&narrow, &text) || glob_matches(&wide, &text), "{}", text);
            }
        }
    }

    #[test]
    fn a_pattern_covers_itself_and_each_text_that_it_matches(
        pattern in "[ab*?]{0,6}",
        text in "[ab]{0,6}",
    ) {
        prop_assert!(covers(&pattern, &pattern));
        prop_assert_eq!(covers(&pattern, &text), glob_matches(&pattern, &text));
    }
}
