use super::{Event, History, Moment, Promise};

const MOST: u64 = 10;

fn moment(uid: &str, name: &str, version: u64) -> Moment {
    Moment {
        uid: uid.to_owned(),
        name: format!("argocd/{name}"),
        version,
        content: format!("content of {version}"),
    }
}

fn applied(uid: &str, version: u64) -> Event {
    Event::Applied(moment(uid, "shop", version))
}

fn shown(uid: &str, version: u64) -> Event {
    Event::Shown {
        moment: moment(uid, "shop", version),
    }
}

fn recorded(uid: &str, version: u64) -> Event {
    Event::Recorded {
        moment: moment(uid, "shop", version),
    }
}

fn acknowledged(uid: &str, version: u64) -> Event {
    Event::Acknowledged {
        moment: Some(moment(uid, "shop", version)),
        uid: uid.to_owned(),
    }
}

fn ended(operation: &str) -> Event {
    Event::OperationEnded {
        uid: "a".to_owned(),
        operation: operation.to_owned(),
    }
}

fn kept(operation: &str) -> Event {
    Event::OperationKept {
        uid: "a".to_owned(),
        operation: operation.to_owned(),
    }
}

/// An object that changes, is replaced by one of its name, and an operation of it.
fn good() -> Vec<Event> {
    vec![
        applied("a", 1),
        shown("a", 1),
        applied("a", 2),
        applied("a", 3),
        ended("first"),
        Event::Queued(MOST),
        shown("a", 3),
        kept("first"),
        acknowledged("a", 3),
        Event::Removed {
            uid: "a".to_owned(),
            version: 4,
        },
        applied("b", 5),
        shown("b", 5),
        acknowledged("b", 5),
        Event::Settled,
    ]
}

fn broken(events: Vec<Event>) -> Vec<Promise> {
    let history: History = events.into_iter().collect();
    let mut promises: Vec<_> = history.judge(MOST).iter().map(|it| it.promise).collect();
    promises.sort();
    promises.dedup();
    promises
}

/// The good history with an event put in before another one.
fn with(at: usize, event: Event) -> Vec<Event> {
    let mut events = good();
    events.insert(at, event);
    events
}

fn without(at: usize) -> Vec<Event> {
    let mut events = good();
    events.remove(at);
    events
}

#[test]
fn valid_history_is_accepted() {
    assert_eq!(broken(good()), []);
}

#[test]
fn missing_final_state_is_detected() {
    let lost = without(11);
    assert_eq!(broken(lost), [Promise::FinalState, Promise::Durable]);
    let stale = with(13, applied("b", 6));
    assert_eq!(broken(stale), [Promise::FinalState]);
}

#[test]
fn deleted_application_that_is_still_listed_is_detected() {
    let removed = Event::Removed {
        uid: "b".to_owned(),
        version: 6,
    };
    assert_eq!(broken(with(13, removed)), [Promise::FinalState]);
}

#[test]
fn regressions_and_invented_states_are_detected() {
    assert_eq!(broken(with(7, shown("a", 2))), [Promise::Order]);
    let mut never = moment("a", "shop", 2);
    never.content = "made up".to_owned();
    let never = Event::Shown { moment: never };
    assert_eq!(broken(with(4, never)), [Promise::Order]);
    assert_eq!(broken(with(8, recorded("a", 9))), [Promise::Order]);
}

#[test]
fn reappearing_object_is_detected() {
    let back = shown("a", 3);
    assert!(broken(with(12, back)).contains(&Promise::NoResurrection));
    let gone = Event::Gone {
        uid: "a".to_owned(),
    };
    let mut events = with(7, gone);
    events.insert(8, shown("a", 3));
    assert!(broken(events).contains(&Promise::NoResurrection));
}

#[test]
fn lost_duplicate_and_invented_operations_are_detected() {
    assert_eq!(broken(without(7)), [Promise::Operations]);
    assert_eq!(broken(with(8, kept("first"))), [Promise::Operations]);
    assert_eq!(broken(with(8, kept("second"))), [Promise::Operations]);
}

#[test]
fn queue_above_its_bound_is_detected() {
    assert_eq!(broken(with(5, Event::Queued(MOST + 1))), [Promise::Bound]);
}

#[test]
fn acknowledgement_without_stored_state_is_detected() {
    let events = vec![
        applied("a", 1),
        applied("a", 2),
        shown("a", 1),
        acknowledged("a", 2),
        Event::Settled,
    ];
    assert_eq!(broken(events), [Promise::FinalState, Promise::Durable]);
    let deletion = Event::Acknowledged {
        moment: None,
        uid: "b".to_owned(),
    };
    assert_eq!(broken(with(13, deletion)), [Promise::Durable]);
}

#[test]
fn duplicate_effect_of_a_report_is_detected() {
    let mut events = with(8, recorded("a", 3));
    assert_eq!(broken(events.clone()), []);
    events.insert(9, recorded("a", 3));
    assert_eq!(broken(events), [Promise::Once]);
}

#[test]
fn shown_state_is_the_latest_that_was_not_deleted() {
    let mut events = good();
    events.insert(9, applied("c", 4));
    let mut other = moment("c", "cart", 4);
    other.content = "its own".to_owned();
    events.insert(10, Event::Shown { moment: other });
    let uids = |events: Vec<Event>| {
        let history: History = events.into_iter().collect();
        let shown = history.shown();
        shown.into_keys().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(uids(events.clone()), ["b", "c"]);
    events.push(Event::Gone {
        uid: "c".to_owned(),
    });
    assert_eq!(uids(events), ["b"]);
}

#[test]
fn incomplete_state_is_detected() {
    let missing = Event::PartMissing {
        uid: "b".to_owned(),
        part: "a manifest".to_owned(),
    };
    assert_eq!(broken(with(12, missing)), [Promise::Whole]);
}

#[test]
fn history_round_trips_and_invalid_lines_are_named() {
    let history: History = good().into_iter().collect();
    let mut lines = Vec::new();
    history.write(&mut lines).unwrap();
    assert_eq!(History::read(&*lines).unwrap(), history);
    lines.extend_from_slice(b"{\"invented\":1}\n");
    let error = History::read(&*lines).unwrap_err().to_string();
    assert!(error.starts_with("line 15: "), "{error}");
}
