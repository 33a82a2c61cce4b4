use std::collections::BTreeMap;

use causeway_proto::ids::RequestId;

use super::{KEPT, Marks, REQUESTS, Standing};
use crate::outcome::Asked;

/// 2026-01-01, midnight.
const MIDNIGHT: u64 = 1_767_225_600;

fn asked(digest: &str) -> Asked {
    Asked {
        id: RequestId::generate(),
        digest: digest.to_owned(),
    }
}

fn marked(text: impl Into<String>) -> Marks {
    Marks::of(&BTreeMap::from([(REQUESTS.to_owned(), text.into())]))
}

fn millis(seconds: u64) -> i64 {
    i64::try_from(seconds * 1000).unwrap()
}

#[test]
fn a_request_that_left_its_mark_is_done() {
    let (one, other) = (asked("a"), asked("a"));
    let marks = marked(Marks::default().with(&one, 7_000));
    assert_eq!(marks.standing(&one, MIDNIGHT), Ok(Standing::Done(7_000)));
    assert_eq!(marks.standing(&other, MIDNIGHT), Ok(Standing::New));
}

#[test]
fn an_id_that_stands_for_something_else_is_told() {
    let one = asked("a");
    let marks = marked(Marks::default().with(&one, 7_000));
    let again = Asked {
        digest: "b".to_owned(),
        ..one
    };
    assert!(marks.standing(&again, MIDNIGHT).is_err());
}

#[test]
fn the_oldest_marks_make_room_and_what_they_may_have_been_is_not_done_again() {
    let first = asked("first");
    let mut text = Marks::default().with(&first, millis(MIDNIGHT));
    for number in 1..KEPT {
        let at = millis(MIDNIGHT + u64::try_from(number).unwrap());
        text = marked(text).with(&asked("more"), at);
    }
    let full = marked(text.clone());
    assert_eq!(
        full.standing(&first, MIDNIGHT),
        Ok(Standing::Done(millis(MIDNIGHT)))
    );
    let fuller = marked(marked(text).with(&asked("last"), millis(MIDNIGHT + 60)));
    assert_eq!(fuller.0.len(), KEPT);
    assert_eq!(fuller.standing(&first, MIDNIGHT), Ok(Standing::Forgotten));
    assert_eq!(fuller.standing(&first, MIDNIGHT + 1), Ok(Standing::New));
}

#[test]
fn what_somebody_else_wrote_there_counts_for_nothing() {
    for text in ["", "{}", "[1]", "mine"] {
        assert_eq!(marked(text), Marks::default(), "{text}");
    }
    assert_eq!(marked("[".repeat(1 << 20)), Marks::default());
    assert_eq!(Marks::of(&BTreeMap::new()), Marks::default());
}
