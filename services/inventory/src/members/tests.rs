use super::*;
use crate::fixture::scope;

const CONTINUED: Continuity = Continuity::Continued;

fn seated(membership: &mut Membership) -> Gathering {
    match membership.standing() {
        Standing::Seated(gathering) => gathering,
        Standing::Fenced => panic!("the stream is fenced"),
    }
}

fn instance(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

#[test]
fn reporters_see_each_other_come_and_go() {
    let members = Arc::new(Members::default());
    let mut first = members.join(scope(), instance(2), 1, CONTINUED).unwrap();
    assert_eq!(seated(&mut first).instances, [instance(2)]);
    let second = members.join(scope(), instance(1), 2, CONTINUED).unwrap();
    let both = seated(&mut first);
    assert_eq!(both.instances, [instance(1), instance(2)]);
    drop(second);
    let alone = seated(&mut first);
    assert_eq!(alone.instances, [instance(2)]);
    assert!(alone.version > both.version);
    assert_eq!((both.departures, alone.departures), (0, 1));
    drop(first);
    assert!(members.scopes().is_empty());
}

#[test]
fn a_later_stream_of_the_same_reporter_fences_the_earlier_one() {
    let members = Arc::new(Members::default());
    let mut old = members.join(scope(), instance(1), 1, CONTINUED).unwrap();
    let mut new = members.join(scope(), instance(1), 2, CONTINUED).unwrap();
    assert_eq!(old.standing(), Standing::Fenced);
    drop(old);
    let gathering = seated(&mut new);
    assert_eq!((gathering.instances.len(), gathering.departures), (1, 0));
}

#[test]
fn an_earlier_stream_that_comes_late_is_fenced_itself() {
    let members = Arc::new(Members::default());
    let mut new = members.join(scope(), instance(1), 2, CONTINUED).unwrap();
    let mut old = members.join(scope(), instance(1), 1, CONTINUED).unwrap();
    assert_eq!(old.standing(), Standing::Fenced);
    assert_eq!(seated(&mut new).instances.len(), 1);
}

#[test]
fn a_restored_store_fences_the_streams_from_before() {
    let members = Arc::new(Members::default());
    let mut before = members.join(scope(), instance(1), 1, CONTINUED).unwrap();
    let mut restored = members
        .join(scope(), instance(2), 2, Continuity::Restored)
        .unwrap();
    let mut other = members
        .join(scope(), instance(3), 3, Continuity::Restored)
        .unwrap();
    assert_eq!(before.standing(), Standing::Fenced);
    assert_eq!(seated(&mut restored).instances, [instance(2), instance(3)]);
    assert_eq!(seated(&mut other).instances, [instance(2), instance(3)]);
}

#[test]
fn a_scope_has_room_for_so_many() {
    let members = Arc::new(Members::default());
    let held: Vec<_> = (0..)
        .map_while(|number| {
            let epoch = u64::try_from(number).unwrap();
            members
                .join(scope(), instance(number), epoch, CONTINUED)
                .ok()
        })
        .collect();
    assert_eq!(held.len(), MOST_MEMBERS);
}
