use causeway_proto::time::millis_to_timestamp;

use super::*;

fn event(name: &str, last_seen: i64, count: u32) -> pb::ReportedEvent {
    let event = pb::KubernetesEvent {
        reason: name.to_owned(),
        last_seen: Some(millis_to_timestamp(last_seen)),
        count,
        ..pb::KubernetesEvent::default()
    };
    pb::ReportedEvent {
        event: Some(event),
        ..pb::ReportedEvent::default()
    }
}

fn fresh(told: &mut Told, events: &[(&str, i64, u32)]) -> Vec<String> {
    let events = events.iter();
    let events = events.map(|(name, last_seen, count)| event(name, *last_seen, *count));
    let fresh = told.fresh(events.collect()).into_iter();
    fresh.map(|it| it.event.unwrap().reason).collect()
}

#[test]
fn each_event_is_told_once_and_again_when_it_happens_again() {
    let mut told = Told::default();
    let hour = 3_600_000;
    let first = [("b", 9 * hour, 1), ("a", hour, 1)];
    assert_eq!(fresh(&mut told, &first), ["b", "a"]);
    assert_eq!(fresh(&mut told, &first), [""; 0]);
    let again = [("b", 9 * hour + 5, 2), ("c", 9 * hour + 2, 1)];
    assert_eq!(fresh(&mut told, &again), ["b", "c"]);
    // What is told of late has its place in the last minute, and not before.
    let late = [
        ("d", 9 * hour - 20_000, 1),
        ("e", 8 * hour, 1),
        ("a", hour, 1),
    ];
    assert_eq!(fresh(&mut told, &late), ["d"]);
    assert_eq!(fresh(&mut told, &late), [""; 0]);
}

#[test]
fn what_has_been_told_is_remembered_for_as_long_as_it_may_come_again() {
    let mut told = Told::default();
    let names: Vec<String> = (0..1_000).map(|it| it.to_string()).collect();
    for (name, at) in names.iter().zip(1..) {
        assert_eq!(fresh(&mut told, &[(name, at * 1_000, 1)]), [name.as_str()]);
        assert!(told.events.len() <= 62, "{}", told.events.len());
    }
    assert!(told.may_be_new(&event("x", 1_000_000 - LATE, 1)));
    assert!(!told.may_be_new(&event("x", 1_000_000 - LATE - 1, 1)));
}
