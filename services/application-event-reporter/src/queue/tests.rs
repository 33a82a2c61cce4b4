use std::collections::BTreeMap;

use proptest::prelude::*;

use super::Queue;

type Key = u8;

/// What can happen between a cluster, a reporter and a receiver.
#[derive(Debug, Clone)]
enum Step {
    Change(Key),
    Delete(Key),
    Send,
    Acknowledge,
    Disconnect,
}

/// What a queue must do for the final state of every object to arrive.
trait Keys {
    fn put(&mut self, key: Key);
    fn take(&mut self) -> Option<Key>;
    fn settle(&mut self, key: &Key);
    fn release(&mut self);
}

impl Keys for Queue<Key> {
    fn put(&mut self, key: Key) {
        Self::put(self, key);
    }

    fn take(&mut self) -> Option<Key> {
        Self::take(self)
    }

    fn settle(&mut self, key: &Key) {
        Self::settle(self, key);
    }

    fn release(&mut self) {
        Self::release(self);
    }
}

/// A queue with the fault that ours must not have: what does not fit is dropped.
struct Dropping {
    queue: Queue<Key>,
    capacity: usize,
}

impl Keys for Dropping {
    fn put(&mut self, key: Key) {
        if self.queue.waiting() < self.capacity {
            self.queue.put(key);
        }
    }

    fn take(&mut self) -> Option<Key> {
        self.queue.take()
    }

    fn settle(&mut self, key: &Key) {
        self.queue.settle(key);
    }

    fn release(&mut self) {
        self.queue.release();
    }
}

/// Objects by key; an object that is gone has version none.
type Truth = BTreeMap<Key, Option<u32>>;

/// Plays the steps, then lets everything drain; gives what is true and what has arrived.
fn play(queue: &mut dyn Keys, steps: &[Step]) -> (Truth, Truth) {
    let (mut truth, mut arrived) = (Truth::new(), Truth::new());
    let mut flying: Vec<(Key, Option<u32>)> = Vec::new();
    for (version, step) in (0..).zip(steps) {
        match step {
            Step::Change(key) => {
                truth.insert(*key, Some(version));
                queue.put(*key);
            }
            Step::Delete(key) => {
                truth.insert(*key, None);
                queue.put(*key);
            }
            Step::Send => flying.extend(queue.take().map(|key| (key, truth[&key]))),
            Step::Acknowledge => acknowledge(queue, &mut flying, &mut arrived),
            Step::Disconnect => {
                flying.clear();
                queue.release();
            }
        }
    }
    loop {
        acknowledge(queue, &mut flying, &mut arrived);
        match queue.take() {
            Some(key) => flying.push((key, truth[&key])),
            None if flying.is_empty() => return (truth, arrived),
            None => {}
        }
    }
}

fn acknowledge(queue: &mut dyn Keys, flying: &mut Vec<(Key, Option<u32>)>, arrived: &mut Truth) {
    if let Some((key, version)) = flying.pop() {
        arrived.insert(key, version);
        queue.settle(&key);
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..12_u8).prop_map(Step::Change),
        1 => (0..12_u8).prop_map(Step::Delete),
        2 => Just(Step::Send),
        1 => Just(Step::Acknowledge),
        1 => Just(Step::Disconnect),
    ]
}

proptest! {
    #[test]
    fn no_final_state_is_lost(steps in prop::collection::vec(step(), 0..200), capacity in 1..6_usize) {
        let (truth, arrived) = play(&mut Queue::new(capacity), &steps);
        prop_assert_eq!(truth, arrived);
    }

    #[test]
    fn no_more_keys_wait_in_order_than_there_is_room(steps in prop::collection::vec(step(), 0..200)) {
        let mut queue = Queue::new(3);
        for step in steps {
            match step {
                Step::Change(key) | Step::Delete(key) => queue.put(key),
                Step::Send => drop(queue.take()),
                Step::Acknowledge => (0..12).for_each(|key| queue.settle(&key)),
                Step::Disconnect => queue.release(),
            }
            prop_assert!(queue.waiting() <= 3);
        }
    }
}

#[test]
fn a_queue_that_drops_what_does_not_fit_is_caught() {
    let steps: Vec<Step> = (0..5).map(Step::Change).collect();
    let mut dropping = Dropping {
        queue: Queue::new(2),
        capacity: 2,
    };
    let (truth, arrived) = play(&mut dropping, &steps);
    assert_ne!(truth, arrived);
}

#[test]
fn a_change_in_flight_is_sent_once_more_and_not_at_the_same_time() {
    let mut queue = Queue::new(10);
    queue.put('a');
    assert_eq!(queue.take(), Some('a'));
    queue.put('a');
    queue.put('a');
    assert_eq!(queue.take(), None);
    queue.settle(&'a');
    assert_eq!(queue.take(), Some('a'));
    queue.settle(&'a');
    assert!(queue.is_idle());
}
