use super::nearest;

#[test]
fn the_nearest_names_come_first_and_strangers_not_at_all() {
    let known = ["guestbook", "guestbook-eu", "payments", "guest"];
    assert_eq!(nearest("guestbok", known.into_iter())[0], "guestbook");
    assert!(!nearest("guestbok", known.into_iter()).contains(&"payments"));
    assert!(nearest("zzz", known.into_iter()).is_empty());
}
