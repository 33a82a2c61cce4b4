use std::time::{Duration, SystemTime};

use causeway_proto::time;

use super::{age, author_name, moment, plain, short};

#[test]
fn ages_take_the_largest_fitting_unit() {
    let check = |seconds: u64, text: &str| {
        let then = time::to_millis(SystemTime::now() - Duration::from_secs(seconds));
        assert_eq!(age(Some(&time::millis_to_timestamp(then))), text);
    };
    check(5, "5s");
    check(125, "2m");
    check(3 * 3_600, "3h");
    check(8 * 86_400, "8d");
    assert_eq!(age(None), "-");
}

#[test]
fn hashes_are_cut_and_names_are_not() {
    assert_eq!(short("0123456789012345678901234567890123456789"), "0123456");
    assert_eq!(short("release-1.20"), "release-1.20");
}

#[test]
fn authors_lose_their_address() {
    assert_eq!(author_name("Ada L <ada@example.org>"), "Ada L");
    assert_eq!(author_name("Ada"), "Ada");
}

#[test]
fn moments_are_utc() {
    assert_eq!(
        moment(Some(&time::millis_to_timestamp(1_000))),
        "1970-01-01T00:00:01Z"
    );
}

#[test]
fn control_characters_of_commits_are_removed() {
    assert_eq!(author_name("Eve\u{1b}]0;x\u{7} <e@x.org>"), "Eve]0;x");
    assert_eq!(plain("one\u{1b}[2J\ntwo"), "one[2J");
}
