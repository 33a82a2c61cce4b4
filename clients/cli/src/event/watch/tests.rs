use causeway_proto::time::millis_to_timestamp;

use super::*;

const HOUR: i64 = 3_600_000;
/// Later than all that happens here, but for what a wrong clock says.
const NOW: i64 = 100 * HOUR;

fn event(name: &str, last_seen: impl Into<Option<i64>>, count: u32) -> pb::ReportedEvent {
    let event = pb::KubernetesEvent {
        reason: name.to_owned(),
        last_seen: last_seen.into().map(millis_to_timestamp),
        count,
        ..pb::KubernetesEvent::default()
    };
    pb::ReportedEvent {
        event: Some(event),
        ..pb::ReportedEvent::default()
    }
}

fn take_new<T: Into<Option<i64>> + Copy>(
    printed: &mut PrintedEvents,
    events: &[(&str, T, u32)],
) -> Vec<String> {
    let events = events.iter();
    let events = events.map(|(name, last_seen, count)| event(name, *last_seen, *count));
    let fresh = printed.take_new(events.collect(), NOW).into_iter();
    fresh.map(|it| it.event.unwrap().reason).collect()
}

#[test]
fn each_event_prints_once_per_occurrence() {
    let mut printed = PrintedEvents::default();
    let first = [("b", 9 * HOUR, 1), ("a", HOUR, 1)];
    assert_eq!(take_new(&mut printed, &first), ["b", "a"]);
    assert_eq!(take_new(&mut printed, &first), [""; 0]);
    let again = [("b", 9 * HOUR + 5, 2), ("c", 9 * HOUR + 2, 1)];
    assert_eq!(take_new(&mut printed, &again), ["b", "c"]);
    // What is printed of late has its place in the last minute, and not before.
    let late = [
        ("d", 9 * HOUR - 20_000, 1),
        ("e", 8 * HOUR, 1),
        ("a", HOUR, 1),
    ];
    assert_eq!(take_new(&mut printed, &late), ["d"]);
    assert_eq!(take_new(&mut printed, &late), [""; 0]);
}

#[test]
fn printed_events_are_kept_while_they_can_repeat() {
    let mut printed = PrintedEvents::default();
    let names: Vec<String> = (0..1_000).map(|it| it.to_string()).collect();
    for (name, at) in names.iter().zip(1..) {
        assert_eq!(
            take_new(&mut printed, &[(name, at * 1_000, 1)]),
            [name.as_str()]
        );
        assert!(printed.events.len() <= 62, "{}", printed.events.len());
    }
    let last = |at: i64| [event("x", at, 1)];
    assert!(!printed.has_all_new(&last(1_000_000 - LATE), usize::MAX, NOW));
    assert!(printed.has_all_new(&last(1_000_000 - LATE - 1), usize::MAX, NOW));
}

#[test]
fn a_clock_that_is_ahead_hides_no_events() {
    let mut printed = PrintedEvents::default();
    let first = [("ahead", 1_000 * HOUR, 1), ("a", NOW - 5, 1)];
    assert_eq!(take_new(&mut printed, &first), ["ahead", "a"]);
    let then = [("ahead", 1_000 * HOUR, 1), ("b", NOW - 1, 1)];
    assert_eq!(take_new(&mut printed, &then), ["b"]);
    assert_eq!(take_new(&mut printed, &then), [""; 0]);
    let page = [event("ahead", 1_000 * HOUR, 1), event("b", NOW - 1, 1)];
    assert!(!printed.has_all_new(&page, 0, NOW));
}

#[test]
fn an_event_without_a_time_prints_once() {
    let mut printed = PrintedEvents::default();
    assert_eq!(take_new(&mut printed, &[("a", Some(9 * HOUR), 1)]), ["a"]);
    let then = [("timeless", None, 1), ("b", Some(9 * HOUR + 5), 1)];
    assert_eq!(take_new(&mut printed, &then), ["timeless", "b"]);
    assert_eq!(take_new(&mut printed, &then), [""; 0]);
    assert_eq!(
        take_new(&mut printed, &[("timeless", None, 2)]),
        ["timeless"]
    );
    // What is not in the list any more is not remembered.
    assert_eq!(
        take_new(&mut printed, &[("b", Some(9 * HOUR + 5), 1)]),
        [""; 0]
    );
    assert_eq!(printed.events.len(), 2);

    let mut page: Vec<_> = (0..50).map(|it| event("x", None, it)).collect();
    assert!(!printed.has_all_new(&page, 0, NOW));
    page.insert(0, event("old", HOUR, 1));
    assert!(printed.has_all_new(&page, 0, NOW));
}

#[test]
fn of_two_equal_events_the_higher_count_prints() {
    let mut printed = PrintedEvents::default();
    let two = [("a", HOUR, 5), ("a", HOUR - 10, 2)];
    assert_eq!(take_new(&mut printed, &two), ["a"]);
    assert_eq!(take_new(&mut printed, &two), [""; 0]);
    assert_eq!(take_new(&mut printed, &[("a", HOUR - 10, 2)]), [""; 0]);
    assert_eq!(take_new(&mut printed, &[("a", HOUR + 1, 3)]), ["a"]);
}

#[test]
fn only_the_first_poll_is_limited() {
    let mut printed = PrintedEvents::default();
    let lately = [event("b", HOUR, 1), event("a", HOUR - LATE, 1)];
    assert!(!printed.has_all_new(&lately, 1, NOW));
    let whole = [event("b", HOUR, 1), event("a", HOUR - LATE - 1, 1)];
    assert!(printed.has_all_new(&whole, 2, NOW));
    assert!(!printed.has_all_new(&whole, 3, NOW));
    assert!(printed.take_new(Vec::new(), NOW).is_empty());
    assert!(printed.started);
}
