use super::*;
use crate::fixture::{joining, scope};

const SECOND: i64 = 1_000;

fn seated(instances: impl IntoIterator<Item = u128>) -> Roster {
    let mut roster = Roster::default();
    for instance in instances {
        join(&mut roster, &joining(instance)).unwrap();
    }
    roster
}

/// At the moment 0, under the next version.
fn join(roster: &mut Roster, joining: &Joining) -> Result<(), TooManyMembers> {
    let version = roster.version + 1;
    roster.join(joining, (version, version), 0)
}

fn leaving(roster: &Roster, instance: u128) -> Leaving {
    let instance = Uuid::from_u128(instance);
    Leaving {
        scope: scope(),
        instance,
        number: roster.leases[&instance].number,
    }
}

fn instances(roster: &Roster) -> Vec<u128> {
    roster.leases.keys().map(Uuid::as_u128).collect()
}

fn last(roster: &Roster) -> (u128, MoveKind) {
    let last = roster.last_move.unwrap();
    (last.instance.as_u128(), last.kind)
}

#[test]
fn reporters_come_and_go() {
    let mut roster = seated([2, 1]);
    assert_eq!((instances(&roster), roster.version), (vec![1, 2], 2));
    assert_eq!(last(&roster), (1, MoveKind::Joined));
    let two = leaving(&roster, 2);
    assert!(roster.leave(&two, 3, SECOND));
    assert_eq!((instances(&roster), roster.version), (vec![1], 3));
    assert_eq!((roster.departures, last(&roster)), (1, (2, MoveKind::Left)));
    assert!(!roster.leave(&two, 4, SECOND), "it has left before");
    assert_eq!((roster.departures, roster.version), (1, 3));
}

#[test]
fn a_reporter_that_comes_again_takes_its_seat_over_and_has_not_left() {
    let mut roster = seated([1, 2]);
    let before = leaving(&roster, 1);
    join(&mut roster, &joining(1)).unwrap();
    assert!(
        !roster.leave(&before, 9, 0),
        "the lease is another stream's"
    );
    assert_eq!((instances(&roster), roster.departures), (vec![1, 2], 0));
    assert_eq!(last(&roster), (2, MoveKind::Joined), "nothing has moved");
}

#[test]
fn a_restored_store_fences_the_streams_from_before() {
    let mut roster = seated([1, 2]);
    for instance in [3, 4] {
        let restored = Joining {
            continuity: Continuity::Restored,
            ..joining(instance)
        };
        join(&mut roster, &restored).unwrap();
    }
    assert_eq!(instances(&roster), [3, 4]);
}

#[test]
fn who_is_not_heard_for_too_long_is_gone_and_the_others_stay() {
    let mut roster = seated([1, 2]);
    let patience = roster.leases[&Uuid::from_u128(1)].patience;
    roster.leases.get_mut(&Uuid::from_u128(2)).unwrap().heard_at = SECOND;
    assert!(!roster.retire(3, patience), "both are in time");
    assert!(roster.retire(3, patience + 1));
    assert_eq!((instances(&roster), roster.departures), (vec![2], 1));
    assert_eq!(last(&roster), (1, MoveKind::Lost));
}

#[test]
fn a_clock_that_is_put_back_makes_no_reporter_immortal() {
    let mut roster = seated([1]);
    let patience = roster.leases[&Uuid::from_u128(1)].patience;
    assert!(!roster.retire(2, -patience));
    assert!(roster.retire(2, -patience - 1));
}

#[test]
fn nobody_is_judged_after_an_outage_or_a_jump_of_the_clock() {
    let interval = Duration::from_secs(1);
    assert!(
        !can_expire_leases(None, 0, interval),
        "it has said nothing before"
    );
    assert!(can_expire_leases(Some(0), 3 * SECOND, interval));
    assert!(!can_expire_leases(Some(0), 3 * SECOND + 1, interval));
    assert!(!can_expire_leases(Some(0), -3 * SECOND - 1, interval));
}

#[test]
fn a_scope_has_room_for_so_many_and_for_those_that_come_again() {
    let most = MOST_MEMBERS as u128;
    let mut roster = seated(0..most);
    assert_eq!(join(&mut roster, &joining(most)), Err(TooManyMembers));
    join(&mut roster, &joining(0)).unwrap();
}

#[test]
fn what_a_store_keeps_of_a_move_is_read_back() {
    for kind in MoveKind::ALL {
        assert_eq!(MoveKind::from_code(kind.code()), Some(kind));
    }
    for code in [i64::MIN, 0, 4] {
        assert_eq!(MoveKind::from_code(code), None);
    }
}
