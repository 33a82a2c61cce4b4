use super::*;

const ID: &str = "019ac8a1-b2c3-7d4e-8f90-123456789abc";

#[test]
fn the_beginning_of_an_id_stands_for_the_time_of_its_call() {
    let at = 0x019a_c8a1_b2c3;
    for (text, width) in [
        ("019ac8a1", 65_536),
        ("019AC8A1-b2", 256),
        ("019ac8a1-b2c3", 1),
        ("019ac8a1-b2c3-7d4e", 1),
    ] {
        let prefix = Prefix::read(text).unwrap().unwrap();
        let (since, until) = prefix.span();
        assert!((since..until).contains(&at), "{text}");
        assert_eq!(until - since, width + 2 * SLACK, "{text}");
        assert!(prefix.is_of(ID), "{text}");
    }
    let other = Prefix::read("019ac8a2").unwrap().unwrap();
    assert!(!other.is_of(ID));
}

#[test]
fn a_whole_id_needs_no_search_and_a_short_one_is_refused() {
    assert_eq!(Prefix::read(ID).unwrap(), None);
    for (text, said) in [
        ("019ac8a", "at least 8"),
        ("", "at least 8"),
        ("guestbook", "not an id"),
        (&format!("{ID}0"), "not an id"),
    ] {
        let error = Prefix::read(text).unwrap_err().to_string();
        assert!(error.contains(said), "{text}: {error}");
    }
}
