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
fn a_history_that_keeps_every_promise_is_accepted() {
    assert_eq!(broken(good()), []);
}

#[test]
fn a_final_state_that_is_not_shown_is_noticed() {
    let lost = without(11);
    assert_eq!(broken(lost), [Promise::FinalState, Promise::Durable]);
    let stale = with(13, applied("b", 6));
    assert_eq!(broken(stale), [Promise::FinalState]);
}

#[test]
fn a_ghost_is_noticed() {
    let removed = Event::Removed {
        uid: "b".to_owned(),
        version: 6,
    };
    assert_eq!(broken(with(13, removed)), [Promise::FinalState]);
}

#[test]
fn a_step_back_and_a_state_that_never_was_are_noticed() {
    assert_eq!(broken(with(7, shown("a", 2))), [Promise::Order]);
    let mut never = moment("a", "shop", 2);
    never.content = "made up".to_owned();
    let never = Event::Shown { moment: never };
    assert_eq!(broken(with(4, never)), [Promise::Order]);
    assert_eq!(broken(with(8, recorded("a", 9))), [Promise::Order]);
}

#[test]
fn an_object_that_comes_back_is_noticed() {
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
fn an_operation_that_is_lost_or_kept_twice_or_made_up_is_noticed() {
    assert_eq!(broken(without(7)), [Promise::Operations]);
    assert_eq!(broken(with(8, kept("first"))), [Promise::Operations]);
    assert_eq!(broken(with(8, kept("second"))), [Promise::Operations]);
}

#[test]
fn a_queue_over_its_bound_is_noticed() {
    assert_eq!(broken(with(5, Event::Queued(MOST + 1))), [Promise::Bound]);
}

#[test]
fn an_acknowledgement_of_what_is_not_kept_is_noticed() {
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
fn a_report_that_takes_effect_twice_is_noticed() {
    let mut events = with(8, recorded("a", 3));
    assert_eq!(broken(events.clone()), []);
    events.insert(9, recorded("a", 3));
    assert_eq!(broken(events), [Promise::Once]);
}

#[test]
fn what_is_shown_is_what_was_shown_last_and_is_not_gone() {
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
fn a_state_without_its_parts_is_noticed() {
    let missing = Event::PartMissing {
        uid: "b".to_owned(),
        part: "a manifest".to_owned(),
    };
    assert_eq!(broken(with(12, missing)), [Promise::Whole]);
}

#[test]
fn a_history_is_written_and_read_back_and_a_line_that_is_none_is_named() {
    let history: History = good().into_iter().collect();
    let mut lines = Vec::new();
    history.write(&mut lines).unwrap();
    assert_eq!(History::read(&*lines).unwrap(), history);
    lines.extend_from_slice(b"{\"invented\":1}\n");
    let error = History::read(&*lines).unwrap_err().to_string();
    assert!(error.starts_with("line 15: "), "{error}");
}
