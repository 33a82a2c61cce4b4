use super::*;

fn address(runtime: &str) -> RuntimeAddress {
    RuntimeAddress {
        account: "acme".parse().unwrap(),
        runtime: runtime.parse().unwrap(),
    }
}

fn seat(runtime: &str, client: &str, slot: &str) -> Seat {
    Seat {
        address: address(runtime),
        client: client.parse().unwrap(),
        slot: slot.parse().unwrap(),
    }
}

fn chosen(sessions: &Sessions<u32>, runtime: &str) -> Option<u32> {
    sessions
        .choose(&address(runtime), |_link| Some(0))
        .map(|session| session.link)
}

#[test]
fn a_higher_generation_takes_the_seat_at_once() {
    let mut sessions = Sessions::default();
    sessions
        .admit(seat("r", "c", "0"), Generation(1), 10)
        .unwrap();
    let admitted = sessions
        .admit(seat("r", "c", "0"), Generation(2), 20)
        .unwrap();
    assert_eq!(admitted.superseded.unwrap().link, 10);
    assert_eq!(chosen(&sessions, "r"), Some(20));
    assert_eq!(sessions.all().count(), 2);
}

#[test]
fn an_equal_or_lower_generation_is_fenced_off() {
    let mut sessions = Sessions::default();
    sessions
        .admit(seat("r", "c", "0"), Generation(5), 10)
        .unwrap();
    for generation in [0, 4, 5] {
        let error = sessions
            .admit(seat("r", "c", "0"), Generation(generation), 20)
            .unwrap_err();
        assert_eq!(
            error,
            AdmitError::Stale {
                current: Generation(5)
            }
        );
    }
    assert_eq!(chosen(&sessions, "r"), Some(10));
}

#[test]
fn a_retired_session_still_fences_older_ones() {
    let mut sessions = Sessions::default();
    let admitted = sessions
        .admit(seat("r", "c", "0"), Generation(5), 10)
        .unwrap();
    sessions.retire(&address("r"), admitted.id);
    assert!(
        sessions
            .admit(seat("r", "c", "0"), Generation(4), 20)
            .is_err()
    );
    assert!(
        sessions
            .admit(seat("r", "c", "0"), Generation(6), 20)
            .unwrap()
            .superseded
            .is_none()
    );
}

#[test]
fn a_generation_means_nothing_in_another_seat() {
    let mut sessions = Sessions::default();
    sessions
        .admit(seat("r", "c", "0"), Generation(9), 1)
        .unwrap();
    for other in [
        seat("r", "c", "1"),
        seat("r", "d", "0"),
        seat("s", "c", "0"),
    ] {
        assert!(
            sessions
                .admit(other, Generation(1), 2)
                .unwrap()
                .superseded
                .is_none()
        );
    }
    assert_eq!(
        sessions
            .all()
            .filter(|session| session.standing == Standing::Open)
            .count(),
        4
    );
}

#[test]
fn a_call_goes_to_the_runtime_that_it_names_and_to_no_other() {
    let mut sessions = Sessions::default();
    sessions
        .admit(seat("a-b", "c", "0"), Generation(1), 1)
        .unwrap();
    assert_eq!(chosen(&sessions, "a-b"), Some(1));
    assert_eq!(chosen(&sessions, "a"), None);
    let elsewhere = RuntimeAddress {
        account: "other".parse().unwrap(),
        runtime: "a-b".parse().unwrap(),
    };
    assert!(sessions.choose(&elsewhere, |_link| Some(0)).is_none());
}

#[test]
fn the_least_loaded_session_gets_the_call_and_the_newest_among_equals() {
    let mut sessions = Sessions::default();
    sessions
        .admit(seat("r", "c", "0"), Generation(1), 7)
        .unwrap();
    sessions
        .admit(seat("r", "c", "1"), Generation(1), 3)
        .unwrap();
    assert_eq!(
        sessions
            .choose(&address("r"), |load| Some(*load))
            .unwrap()
            .link,
        3
    );
    assert_eq!(
        sessions
            .choose(&address("r"), |_load| Some(0))
            .unwrap()
            .link,
        3
    );
}

#[test]
fn a_drained_session_gets_nothing_new_and_is_gone_when_it_left() {
    let mut sessions = Sessions::default();
    let admitted = sessions
        .admit(seat("r", "c", "0"), Generation(1), 1)
        .unwrap();
    sessions.retire(&address("r"), admitted.id);
    assert_eq!(chosen(&sessions, "r"), None);
    assert_eq!(sessions.of(&address("r")).len(), 1);
    sessions.leave(&address("r"), admitted.id);
    assert!(sessions.by_runtime.is_empty());
}

#[test]
fn one_runtime_cannot_fill_the_table() {
    let mut sessions = Sessions::default();
    for client in 0..SESSIONS_PER_RUNTIME {
        sessions
            .admit(seat("r", &format!("c{client}"), "0"), Generation(1), 1)
            .unwrap();
    }
    let error = sessions
        .admit(seat("r", "one-more", "0"), Generation(1), 1)
        .unwrap_err();
    assert_eq!(error, AdmitError::Full);
    assert!(
        sessions
            .admit(seat("s", "c", "0"), Generation(1), 1)
            .is_ok()
    );
}

#[test]
fn what_a_client_says_of_itself_is_checked() {
    for text in ["", "UPPER", "a/b", "ä", &"x".repeat(64)] {
        assert!(text.parse::<ClientInstance>().is_err(), "{text}");
    }
    for text in ["", "2", "-1", "00"] {
        assert!(text.parse::<Slot>().is_err(), "{text}");
    }
    for text in ["", "-1", "x", "18446744073709551616"] {
        assert!(text.parse::<Generation>().is_err(), "{text}");
    }
}
