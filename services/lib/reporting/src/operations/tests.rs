use std::collections::BTreeSet;

use causeway_proto::{inventory::v1 as pb, time::millis_to_timestamp};
use proptest::prelude::*;

use super::{
    Knowledge, MAX_PENDING, MAX_PENDING_FOREIGN, Observer, Operations, PendingOperations,
    find_refused,
};

fn ended(number: i64) -> pb::OperationRecord {
    pb::OperationRecord {
        started_at: Some(millis_to_timestamp(number * 1_000)),
        finished_at: Some(millis_to_timestamp(number * 1_000 + 500)),
        deployment_id: (number % 2 == 0).then_some(number),
        ..pb::OperationRecord::default()
    }
}

fn reported(operations: &Operations) -> PendingOperations {
    operations.pending(|_| Knowledge::Whole)
}

fn numbers(reported: &PendingOperations) -> Vec<i64> {
    let starts = reported
        .records
        .iter()
        .filter_map(|record| record.started_at);
    starts.map(|started_at| started_at.seconds).collect()
}

/// What is known of an object's operations at both ends.
#[derive(Debug, Default)]
struct World {
    /// How many operations there were; those of even numbers made a deployment.
    last: i64,
    operations: Operations,
    /// What the reporter of now has seen.
    seen: BTreeSet<i64>,
    /// On the way, with the version of the object that it tells.
    sent: Option<(PendingOperations, i64)>,
    recorded: BTreeSet<i64>,
    held: i64,
}

impl World {
    /// The last three deployments and the last operation.
    fn object(&self) -> Vec<i64> {
        let deployments = (1..self.last).filter(|number| number % 2 == 0);
        let mut object: Vec<i64> = deployments.collect();
        object.drain(..object.len().saturating_sub(3));
        object.extend((self.last > 0).then_some(self.last));
        object
    }

    fn observe(&mut self) {
        let object = self.object();
        self.seen.extend(&object);
        let ended = object.into_iter().map(ended).collect();
        assert_eq!(self.operations.observe(ended, Observer::Own), 0);
    }

    fn arrive(&mut self) {
        if let Some((reported, version)) = &self.sent {
            self.recorded.extend(numbers(reported));
            self.held = *version;
        }
    }

    fn step(&mut self, step: u8) {
        match step {
            0 | 1 => self.last += 1,
            2 => self.observe(),
            3 => self.sent = Some((reported(&self.operations), self.last)),
            4 => {
                self.arrive();
                if let Some((reported, _)) = self.sent.take() {
                    self.operations.mark_recorded(&reported.ids);
                }
            }
            // The report arrives, and arrives again; its acknowledgement does not.
            5 => self.arrive(),
            6 => self.sent = None,
            // The reporter dies, and another one begins.
            _ => {
                self.operations = Operations::default();
                self.sent = None;
                self.seen.clear();
                self.observe();
                if self.held == self.last {
                    self.operations.drop_held();
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn what_was_seen_to_end_is_recorded_whatever_is_lost_and_repeated(steps in prop::collection::vec(0u8..8, 0..60)) {
        let mut world = World::default();
        for step in steps {
            // A report tells the object as it was seen.
            if step == 3 {
                world.observe();
            }
            world.step(step);
        }
        world.observe();
        world.step(3);
        world.step(4);
        prop_assert!(world.seen.is_subset(&world.recorded), "{world:?}");
        prop_assert!(world.recorded.iter().all(|number| (1..=world.last).contains(number)));
        prop_assert!(reported(&world.operations).records.is_empty());
    }
}

#[test]
fn what_is_recorded_is_not_told_again_as_long_as_the_object_has_it() {
    let mut operations = Operations::default();
    operations.observe(vec![ended(2), ended(3)], Observer::Own);
    let first = reported(&operations);
    assert_eq!(numbers(&first), [2, 3]);
    operations.observe(vec![ended(2), ended(3), ended(4)], Observer::Own);
    operations.mark_recorded(&first.ids);
    assert_eq!(numbers(&reported(&operations)), [4]);
    operations.observe(vec![ended(2), ended(4), ended(5)], Observer::Own);
    assert_eq!(numbers(&reported(&operations)), [4, 5]);
}

#[test]
fn a_receiver_that_was_put_back_is_told_again_what_the_object_still_has() {
    let mut operations = Operations::default();
    operations.observe(vec![ended(2), ended(3)], Observer::Own);
    let sent = reported(&operations).ids;
    operations.mark_recorded(&sent);
    assert!(reported(&operations).records.is_empty());
    operations.requeue(vec![ended(2), ended(3)], Observer::Own);
    assert_eq!(numbers(&reported(&operations)), [2, 3]);
    // What is held of the object has them too.
    operations.drop_held();
    assert!(reported(&operations).records.is_empty());
}

#[test]
fn the_newest_wait_and_what_is_cut_is_counted() {
    let mut operations = Operations::default();
    let cut = operations.observe((1..=40).map(ended).collect(), Observer::Own);
    assert_eq!(cut, 8);
    assert_eq!(
        numbers(&reported(&operations)),
        (9..=40).collect::<Vec<_>>()
    );
    let all = reported(&operations).ids;
    assert_eq!(operations.drop_refused(&all), MAX_PENDING);
    assert!(reported(&operations).records.is_empty());
}

#[test]
fn a_refusal_that_names_one_operation_takes_no_other_along() {
    let mut operations = Operations::default();
    operations.observe((1..=3).map(ended).collect(), Observer::Own);
    let sent = reported(&operations).ids;
    operations.observe((1..=4).map(ended).collect(), Observer::Own);
    assert_eq!(
        operations.drop_refused(find_refused("operations[1].phase", &sent)),
        1
    );
    assert_eq!(numbers(&reported(&operations)), [1, 3, 4]);
    // One that names none, or none that was sent, means all that was sent and no more.
    for field in ["operations", "operations[7]", "operations[x]"] {
        assert_eq!(find_refused(field, &sent), &sent[..]);
    }
    assert_eq!(operations.drop_refused(&sent), 2);
    assert_eq!(numbers(&reported(&operations)), [4]);
}

#[test]
fn a_recorded_operation_is_told_once_more_when_its_commit_is_known() {
    let mut operations = Operations::default();
    operations.observe(vec![ended(2)], Observer::Own);
    let unknown = operations.pending(|_| Knowledge::Partial);
    operations.mark_recorded(&unknown.ids);
    assert!(
        operations
            .pending(|_| Knowledge::Partial)
            .records
            .is_empty()
    );
    let complete = |record: &mut pb::OperationRecord| {
        record.commit = Some(pb::Commit::default());
        Knowledge::Whole
    };
    let known = operations.pending(complete);
    assert_eq!(numbers(&known), [2]);
    operations.mark_recorded(&known.ids);
    assert!(operations.pending(complete).records.is_empty());
}

#[test]
fn what_this_reporter_alone_may_have_seen_outlasts_what_others_tell() {
    let mut operations = Operations::default();
    operations.observe(vec![ended(1), ended(2)], Observer::Own);
    assert!(operations.has_own());
    operations.observe((3..=10).map(ended).collect(), Observer::Other);
    let waiting = numbers(&reported(&operations));
    assert_eq!(waiting[..2], [1, 2]);
    assert_eq!(
        waiting[2..],
        (7..=10).collect::<Vec<_>>()[..MAX_PENDING_FOREIGN]
    );
    operations.mark_recorded(&reported(&operations).ids);
    assert!(!operations.has_own());
    operations.observe(vec![ended(11)], Observer::Other);
    assert!(!operations.has_own());
}
