use proptest::prelude::*;

use super::*;

/// The definition, without a thought for time.
fn naive(pattern: &[char], value: &[char]) -> bool {
    match (pattern, value) {
        ([], []) => true,
        (['*', rest @ ..], _) => (0..=value.len()).any(|taken| naive(rest, &value[taken..])),
        (['?', rest @ ..], [_, others @ ..]) => naive(rest, others),
        ([wanted, rest @ ..], [found, others @ ..]) => wanted == found && naive(rest, others),
        _ => false,
    }
}

#[test]
fn stars_and_question_marks_stand_for_text() {
    let cases = [
        ("", "", true),
        ("", "a", false),
        ("*", "", true),
        ("*", "anything", true),
        ("?", "", false),
        ("?", "ü", true),
        ("team-*", "team-", true),
        ("team-*", "team-a", true),
        ("team-*", "steam-a", false),
        ("*-prod", "web-prod", true),
        ("*-prod", "web-prod-2", false),
        ("a*b*c", "a-b-b-c", true),
        ("web-?", "web-10", false),
        ("web", "web-1", false),
        ("[ab]", "a", false),
        ("w.b", "web", false),
    ];
    for (pattern, value, expected) in cases {
        assert_eq!(glob_matches(pattern, value), expected, "{pattern} {value}");
    }
}

#[test]
fn hostile_patterns_take_no_longer_than_their_length_times_the_value() {
    let value = "a".repeat(4_000);
    let pattern = format!("{}b", "*a".repeat(1_000));
    assert!(!glob_matches(&pattern, &value));
    let pattern = format!("*{}b", "a".repeat(2_000));
    assert!(!glob_matches(&pattern, &value));
}

#[test]
fn names_are_told_from_patterns() {
    assert!(is_glob("team-*") && is_glob("a?") && !is_glob("team-a") && !is_glob(""));
    assert!(is_match_all("*") && is_match_all("***") && !is_match_all("") && !is_match_all("*a"));
}

proptest! {
    #[test]
    fn a_pattern_says_what_its_definition_says(
        pattern in "[ab*?ü]{0,8}",
        value in "[abü]{0,8}",
    ) {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        prop_assert_eq!(
            glob_matches(&pattern, &value),
            naive(&letters(&pattern), &letters(&value)),
        );
    }
}
