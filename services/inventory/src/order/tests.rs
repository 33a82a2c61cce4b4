use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const CONTINUED: Continuity = Continuity::Continued;

fn at(resource_version: u64, epoch: u64, sequence: u64) -> Position {
    Position {
        resource_version,
        epoch,
        sequence,
    }
}

fn held(position: Position, life: ObjectLife) -> Option<Head> {
    Some(Head { position, life })
}

#[test]
fn the_resource_version_decides_before_stream_and_sequence() {
    assert!(at(2, 1, 1).supersedes(&at(1, 9, 9), CONTINUED));
    assert!(at(1, 2, 1).supersedes(&at(1, 1, 9), CONTINUED));
    assert!(at(1, 1, 2).supersedes(&at(1, 1, 1), CONTINUED));
    assert!(!at(1, 1, 1).supersedes(&at(1, 1, 1), CONTINUED));
}

#[test]
fn after_a_restore_the_stream_decides() {
    assert!(at(1, 2, 1).supersedes(&at(100, 1, 50), Continuity::Restored));
    assert!(!at(200, 1, 1).supersedes(&at(100, 1, 50), Continuity::Restored));
}

#[test]
fn a_state_never_brings_back_what_is_gone() {
    let tombstone = held(at(5, 1, 5), ObjectLife::Gone);
    let merged = merge(at(4, 9, 9), ObjectLife::Live, CONTINUED, tombstone, None);
    assert_eq!(merged, Merge::Superseded);
}

#[test]
fn what_stands_beside_the_order_is_newer_than_nothing() {
    let beside = at(Position::BESIDE, 9, 9);
    for continuity in [CONTINUED, Continuity::Restored] {
        for held in [None, held(at(5, 1, 5), ObjectLife::Live)] {
            let merged = merge(beside, ObjectLife::Live, continuity, held, None);
            assert_eq!(merged, Merge::Superseded);
        }
    }
}

#[test]
fn a_deletion_of_what_was_never_shown_is_kept_and_not_told() {
    let merged = merge(at(5, 1, 1), ObjectLife::Gone, CONTINUED, None, None);
    assert_eq!(merged, Merge::Buried);
}

#[test]
fn a_newer_object_takes_the_name_of_an_older_one() {
    let merged = merge(
        at(7, 1, 1),
        ObjectLife::Live,
        CONTINUED,
        None,
        Some(at(5, 1, 1)),
    );
    let displaces = Displacement::Namesake;
    assert_eq!(merged, Merge::Live { displaces });
}

#[test]
fn an_older_object_does_not_take_the_name_of_a_newer_one() {
    let merged = merge(
        at(5, 1, 1),
        ObjectLife::Live,
        CONTINUED,
        None,
        Some(at(7, 1, 1)),
    );
    assert_eq!(merged, Merge::Buried);
}

/// What a reporter may send of one name: an object of which several states come, its deletion, and the same under the next uid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Event {
    uid: u64,
    life: ObjectLife,
    position: Position,
}

fn history(lifetimes: &[(u8, bool)], epochs: &[u8]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut version = 0;
    for (uid, (states, last)) in (0..).zip(lifetimes) {
        let ends = *last || usize::try_from(uid).unwrap() + 1 < lifetimes.len();
        let lives = (0..=*states).map(|_| ObjectLife::Live);
        for life in lives.chain(ends.then_some(ObjectLife::Gone)) {
            version += 1;
            let drawn = epochs[usize::try_from(version).unwrap() % epochs.len()];
            let position = at(version, u64::from(drawn), version);
            events.push(Event {
                uid,
                life,
                position,
            });
        }
    }
    events
}

/// Applies `merge` to a map, the way a store does.
#[derive(Default)]
struct Model {
    rows: BTreeMap<u64, Head>,
    told: Vec<Event>,
}

impl Model {
    fn apply(&mut self, event: Event) {
        let namesake = self
            .rows
            .iter()
            .find(|(uid, head)| **uid != event.uid && head.life == ObjectLife::Live)
            .map(|(uid, head)| (*uid, head.position));
        let own = self.rows.get(&event.uid).copied();
        let other = namesake.map(|(_, position)| position);
        let merged = merge(event.position, event.life, CONTINUED, own, other);
        let life = match merged {
            Merge::Superseded => return,
            Merge::Live { displaces } => {
                if let (Displacement::Namesake, Some((uid, position))) = (displaces, namesake) {
                    assert!(
                        uid < event.uid,
                        "an older object never replaces a newer one"
                    );
                    let life = ObjectLife::Gone;
                    self.rows.insert(uid, Head { position, life });
                }
                self.told.push(event);
                ObjectLife::Live
            }
            Merge::Gone | Merge::Buried => ObjectLife::Gone,
        };
        let position = event.position;
        self.rows.insert(event.uid, Head { position, life });
    }

    fn live(&self) -> Vec<(u64, Position)> {
        let live = self
            .rows
            .iter()
            .filter(|(_, head)| head.life == ObjectLife::Live);
        live.map(|(uid, head)| (*uid, head.position)).collect()
    }
}

proptest! {
    #[test]
    fn whatever_the_order_and_however_often_the_last_state_stands(
        lifetimes in prop::collection::vec((0..4_u8, any::<bool>()), 1..4),
        epochs in prop::collection::vec(1..4_u8, 1..5),
        seed in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
    ) {
        let events = history(&lifetimes, &epochs);
        let mut delivered: Vec<Event> = seed.iter().map(|index| *index.get(&events)).collect();
        // Whatever was lost or came twice, each event comes at least once in the end, in some order.
        let start = seed.first().map_or(0, |index| index.index(events.len()));
        delivered.extend(events[start..].iter().chain(&events[..start]));

        let mut model = Model::default();
        for event in &delivered {
            model.apply(*event);
            prop_assert!(model.live().len() <= 1, "one name has one object");
        }
        let last = events.last().unwrap();
        let expected = (last.life == ObjectLife::Live).then_some((last.uid, last.position));
        prop_assert_eq!(model.live(), Vec::from_iter(expected));
    }

    #[test]
    fn what_is_told_of_one_uid_only_rises(
        lifetimes in prop::collection::vec((0..4_u8, any::<bool>()), 1..4),
        seed in prop::collection::vec(any::<prop::sample::Index>(), 1..80),
    ) {
        let events = history(&lifetimes, &[1]);
        let mut model = Model::default();
        for index in &seed {
            model.apply(*index.get(&events));
        }
        for uid in 0..4 {
            let told = model.told.iter().filter(|event| event.uid == uid);
            let positions: Vec<Position> = told.map(|event| event.position).collect();
            prop_assert!(positions.is_sorted_by(|earlier, later| earlier < later));
        }
    }
}
