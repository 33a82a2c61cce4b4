use std::collections::BTreeMap;

use causeway_proto::ids::RequestId;

use super::{KEPT, REQUESTS_ANNOTATION, RequestRecords, RequestState};
use crate::outcome::{Effect, RequestIdentity};

/// 2026-01-01, midnight.
const MIDNIGHT: u64 = 1_767_225_600;

fn asked(digest: &str) -> RequestIdentity {
    RequestIdentity {
        id: RequestId::generate(),
        digest: digest.to_owned(),
        effect: Effect::Change,
    }
}

fn marked(text: impl Into<String>) -> RequestRecords {
    RequestRecords::of(&BTreeMap::from([(
        REQUESTS_ANNOTATION.to_owned(),
        text.into(),
    )]))
}

fn millis(seconds: u64) -> i64 {
    i64::try_from(seconds * 1000).unwrap()
}

#[test]
fn a_request_that_left_its_mark_is_done() {
    let (one, other) = (asked("a"), asked("a"));
    let marks = marked(RequestRecords::default().with(&one, 7_000));
    assert_eq!(
        marks.standing(&one, MIDNIGHT),
        Ok(RequestState::Done(7_000))
    );
    assert_eq!(marks.standing(&other, MIDNIGHT), Ok(RequestState::New));
}

#[test]
fn an_id_that_stands_for_something_else_is_told() {
    let one = asked("a");
    let marks = marked(RequestRecords::default().with(&one, 7_000));
    let again = RequestIdentity {
        digest: "b".to_owned(),
        ..one
    };
    assert!(marks.standing(&again, MIDNIGHT).is_err());
}

#[test]
fn the_oldest_marks_make_room_and_what_they_may_have_been_is_not_done_again() {
    let first = asked("first");
    let mut text = RequestRecords::default().with(&first, millis(MIDNIGHT));
    for number in 1..KEPT {
        let at = millis(MIDNIGHT + u64::try_from(number).unwrap());
        text = marked(text).with(&asked("more"), at);
    }
    let full = marked(text.clone());
    assert_eq!(
        full.standing(&first, MIDNIGHT),
        Ok(RequestState::Done(millis(MIDNIGHT)))
    );
    let fuller = marked(marked(text).with(&asked("last"), millis(MIDNIGHT + 60)));
    assert_eq!(fuller.0.len(), KEPT);
    assert_eq!(
        fuller.standing(&first, MIDNIGHT),
        Ok(RequestState::Forgotten)
    );
    assert_eq!(fuller.standing(&first, MIDNIGHT + 1), Ok(RequestState::New));
}

#[test]
fn refreshes_take_the_places_of_refreshes_alone() {
    let change = asked("change");
    let refresh = || RequestIdentity {
        effect: Effect::Refresh,
        ..asked("refresh")
    };
    let (first, mut text) = (refresh(), RequestRecords::default().with(&change, 1_000));
    text = marked(text).with(&first, millis(MIDNIGHT));
    for number in 0..2 * KEPT {
        let at = millis(MIDNIGHT + u64::try_from(number).unwrap());
        text = marked(text).with(&refresh(), at);
    }
    let marks = marked(text);
    assert_eq!(marks.0.len(), KEPT + 1);
    assert_eq!(marks.standing(&change, 0), Ok(RequestState::Done(1_000)));
    assert_eq!(marks.standing(&asked("other"), 0), Ok(RequestState::New));
    assert_eq!(
        marks.standing(&first, MIDNIGHT),
        Ok(RequestState::Forgotten)
    );
}

#[test]
fn what_is_done_in_two_steps_has_one_mark() {
    let one = asked("a");
    let marks = marked(marked(RequestRecords::default().with(&one, 7_000)).with(&one, 8_000));
    assert_eq!(marks.0.len(), 1);
    assert_eq!(
        marks.standing(&one, MIDNIGHT),
        Ok(RequestState::Done(8_000))
    );
}

#[test]
fn what_somebody_else_wrote_there_counts_for_nothing() {
    for text in ["", "{}", "[1]", "mine"] {
        assert_eq!(marked(text), RequestRecords::default(), "{text}");
    }
    assert_eq!(marked("[".repeat(1 << 20)), RequestRecords::default());
    assert_eq!(
        RequestRecords::of(&BTreeMap::new()),
        RequestRecords::default()
    );
}
