use super::{suggest, suggest_names};

#[test]
fn most_similar_names_come_first_and_unrelated_ones_are_omitted() {
    let known = ["guestbook", "guestbook-eu", "payments", "guest"];
    assert_eq!(suggest_names("guestbok", known)[0], "guestbook");
    assert!(!suggest_names("guestbok", known).contains(&"payments"));
    assert!(suggest_names("zzz", known).is_empty());
}

#[test]
fn case_is_ignored() {
    assert_eq!(suggest_names("outofsync", ["OutOfSync"]), ["OutOfSync"]);
}

#[test]
fn swapped_letters_and_beginnings_are_found() {
    assert_eq!(suggest_names("wbe", ["api", "web"]), ["web"]);
    assert_eq!(
        suggest_names("page", ["pageToken", "filter"]),
        ["pageToken"]
    );
}

#[test]
fn at_most_three_distinct_names_are_suggested() {
    let known = ["web-1", "web-2", "web-2", "web-3", "web-4"];
    assert_eq!(suggest_names("web", known), ["web-1", "web-2", "web-3"]);
}

#[test]
fn equally_similar_names_are_ordered_by_value() {
    assert_eq!(suggest("web", [("web", 2), ("web", 1)]), [1, 2]);
}
