use std::{collections::BTreeMap, time::Duration};

use proptest::prelude::*;
use tokio::time::Instant;

use super::Queue;
use crate::rate_limit::RateLimit;

const LIMIT: RateLimit = RateLimit {
    burst: 2,
    every: Duration::from_secs(1),
};

type Key = u8;

/// What can happen between a cluster, a reporter and a receiver.
#[derive(Debug, Clone)]
enum Step {
    Change(Key),
    /// A change of which more may be known after some milliseconds.
    Hold(Key, u64),
    Delete(Key),
    Send,
    Acknowledge,
    Disconnect,
    Wait(u64),
}

/// What a queue must do for the final state of every object to arrive.
trait Keys {
    fn put(&mut self, key: Key);
    fn hold(&mut self, key: Key, _until: Instant) {
        self.put(key);
    }
    fn take(&mut self, now: Instant) -> Option<Key>;
    fn settle(&mut self, key: &Key);
    fn release(&mut self);
    fn due(&self) -> Option<Instant>;
    fn wake(&mut self, now: Instant);
}

impl Keys for Queue<Key> {
    fn put(&mut self, key: Key) {
        Self::put(self, key);
    }

    fn hold(&mut self, key: Key, until: Instant) {
        Self::hold(self, key, until);
    }

    fn take(&mut self, now: Instant) -> Option<Key> {
        let key = Self::take(self, now)?;
        self.record_sent(&key, now);
        Some(key)
    }

    fn settle(&mut self, key: &Key) {
        Self::settle(self, key);
    }

    fn release(&mut self) {
        Self::release(self);
    }

    fn due(&self) -> Option<Instant> {
        Self::due(self)
    }

    fn wake(&mut self, now: Instant) {
        Self::wake(self, now);
    }
}

/// A queue with the fault that ours must not have: what does not fit is dropped.
struct Dropping {
    queue: Queue<Key>,
    capacity: usize,
}

/// Another one: what is sent too often is dropped.
struct Throttling(Queue<Key>);

impl Keys for Dropping {
    fn put(&mut self, key: Key) {
        if self.queue.waiting() < self.capacity {
            self.queue.put(key);
        }
    }

    fn take(&mut self, now: Instant) -> Option<Key> {
        self.queue.take(now)
    }

    fn settle(&mut self, key: &Key) {
        self.queue.settle(key);
    }

    fn release(&mut self) {
        self.queue.release();
    }

    fn due(&self) -> Option<Instant> {
        None
    }

    fn wake(&mut self, _now: Instant) {}
}

impl Keys for Throttling {
    fn put(&mut self, key: Key) {
        self.0.put(key);
    }

    fn take(&mut self, now: Instant) -> Option<Key> {
        Keys::take(&mut self.0, now)
    }

    fn settle(&mut self, key: &Key) {
        self.0.settle(key);
    }

    fn release(&mut self) {
        self.0.release();
    }

    fn due(&self) -> Option<Instant> {
        None
    }

    fn wake(&mut self, _now: Instant) {}
}

/// Objects by key; an object that is gone has version none.
type Truth = BTreeMap<Key, Option<u32>>;

/// Plays the steps, then lets everything drain; gives what is true and what has arrived.
fn play(queue: &mut dyn Keys, steps: &[Step]) -> (Truth, Truth) {
    let (mut truth, mut arrived) = (Truth::new(), Truth::new());
    let mut flying: Vec<(Key, Option<u32>)> = Vec::new();
    let mut now = Instant::now();
    for (version, step) in (0..).zip(steps) {
        match step {
            Step::Change(key) => {
                truth.insert(*key, Some(version));
                queue.put(*key);
            }
            Step::Hold(key, millis) => {
                truth.insert(*key, Some(version));
                queue.hold(*key, now + Duration::from_millis(*millis));
            }
            Step::Delete(key) => {
                truth.insert(*key, None);
                queue.put(*key);
            }
            Step::Send => flying.extend(queue.take(now).map(|key| (key, truth[&key]))),
            Step::Acknowledge => acknowledge(queue, &mut flying, &mut arrived),
            Step::Disconnect => {
                flying.clear();
                queue.release();
            }
            Step::Wait(millis) => {
                now += Duration::from_millis(*millis);
                queue.wake(now);
            }
        }
    }
    loop {
        acknowledge(queue, &mut flying, &mut arrived);
        match (queue.take(now), queue.due()) {
            (Some(key), _) => flying.push((key, truth[&key])),
            (None, _) if !flying.is_empty() => {}
            (None, Some(due)) => {
                now = due;
                queue.wake(now);
            }
            (None, None) => return (truth, arrived),
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
        1 => (0..12_u8, 0..500_u64).prop_map(|(key, millis)| Step::Hold(key, millis)),
        1 => (0..12_u8).prop_map(Step::Delete),
        2 => Just(Step::Send),
        1 => Just(Step::Acknowledge),
        1 => Just(Step::Disconnect),
        1 => (0..1_500_u64).prop_map(Step::Wait),
    ]
}

proptest! {
    #[test]
    fn no_final_state_is_lost(steps in prop::collection::vec(step(), 0..200), capacity in 1..6_usize) {
        let (truth, arrived) = play(&mut Queue::new(capacity), &steps);
        prop_assert_eq!(truth, arrived);
    }

    #[test]
    fn no_final_state_is_lost_to_a_pace(steps in prop::collection::vec(step(), 0..200), capacity in 1..6_usize) {
        let (truth, arrived) = play(&mut Queue::new(capacity).with_rate_limit(LIMIT), &steps);
        prop_assert_eq!(truth, arrived);
    }

    #[test]
    fn no_more_keys_wait_in_order_than_there_is_room(steps in prop::collection::vec(step(), 0..200)) {
        let mut queue = Queue::new(3).with_rate_limit(LIMIT);
        let now = Instant::now();
        for step in steps {
            match step {
                Step::Change(key) | Step::Delete(key) => queue.put(key),
                Step::Hold(key, millis) => queue.hold(key, now + Duration::from_millis(millis)),
                Step::Send => drop(Keys::take(&mut queue, now)),
                Step::Acknowledge => (0..12).for_each(|key| {
                    queue.settle(&key);
                }),
                Step::Disconnect => queue.release(),
                Step::Wait(millis) => queue.wake(now + Duration::from_millis(millis)),
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
    let now = Instant::now();
    queue.put('a');
    assert_eq!(queue.take(now), Some('a'));
    queue.put('a');
    queue.put('a');
    assert_eq!(queue.take(now), None);
    queue.settle(&'a');
    assert_eq!(queue.take(now), Some('a'));
    queue.settle(&'a');
    assert!(queue.is_idle());
}

#[test]
fn a_key_is_held_until_its_time_or_its_next_change_and_not_where_it_waits_already() {
    let mut queue = Queue::new(10);
    let now = Instant::now();
    let later = now + Duration::from_millis(20);
    queue.hold('a', later);
    queue.hold('a', later + Duration::from_millis(20));
    assert_eq!((queue.take(now), queue.due()), (None, Some(later)));
    queue.wake(later);
    assert_eq!(queue.take(later), Some('a'));
    queue.hold('a', later);
    assert_eq!(queue.due(), None, "it is in flight");
    queue.settle(&'a');
    assert_eq!(queue.take(later), Some('a'));
    queue.settle(&'a');

    queue.hold('b', later);
    queue.put('b');
    assert_eq!((queue.take(now), queue.due()), (Some('b'), None));
    queue.settle(&'b');
    queue.put('c');
    queue.hold('c', later);
    assert_eq!((queue.take(now), queue.due()), (Some('c'), None));
    queue.settle(&'c');
    assert!(queue.is_idle());
}

#[test]
fn a_queue_that_drops_what_is_sent_too_often_is_caught() {
    let steps = [Step::Change(1), Step::Send, Step::Acknowledge];
    let steps: Vec<Step> = steps.into_iter().cycle().take(30).collect();
    let mut throttling = Throttling(Queue::new(10).with_rate_limit(LIMIT));
    let (truth, arrived) = play(&mut throttling, &steps);
    assert_ne!(truth, arrived);
    let (truth, arrived) = play(&mut Queue::new(10).with_rate_limit(LIMIT), &steps);
    assert_eq!(truth, arrived);
}

/// One key changes a thousand times a second for ten seconds, a hundred others change once, and a state goes out each
/// millisecond: how often the one was sent, and how long the others took.
fn play_hot(mut queue: Queue<u32>) -> (usize, Duration) {
    let begin = Instant::now();
    let (mut hot, mut slowest) = (0, Duration::ZERO);
    let cold_at = begin + Duration::from_secs(5);
    for millis in 0..10_000 {
        let now = begin + Duration::from_millis(millis);
        queue.wake(now);
        queue.put(0);
        if now == cold_at {
            (1..=100).for_each(|key| queue.put(key));
        }
        let Some(key) = queue.take(now) else { continue };
        queue.record_sent(&key, now);
        queue.settle(&key);
        match key {
            0 => hot += 1,
            _ => slowest = slowest.max(now - cold_at),
        }
    }
    (hot, slowest)
}

#[test]
fn an_object_that_changes_without_end_leaves_the_others_their_turn() {
    let (hot, slowest) = play_hot(Queue::new(1_000).with_rate_limit(RateLimit::REPORTS));
    assert!((90..=110).contains(&hot), "{hot}");
    assert!(slowest <= Duration::from_millis(101), "{slowest:?}");
}

#[test]
fn without_a_pace_it_takes_all_there_is() {
    let (hot, _) = play_hot(Queue::new(1_000));
    assert!(hot > 9_000, "{hot}");
}

#[tokio::test(start_paused = true)]
async fn a_key_is_as_old_as_its_first_change_that_has_not_arrived() {
    let began = Instant::now();
    let after = |seconds| began + Duration::from_secs(seconds);
    let mut queue = Queue::new(1);
    assert_eq!(queue.oldest(), None);
    queue.put("a");
    tokio::time::advance(Duration::from_secs(1)).await;
    queue.put("a");
    queue.put("b");
    assert_eq!(
        queue.oldest(),
        Some(began),
        "the second change is of the same state"
    );
    assert_eq!(queue.take(Instant::now()), Some("a"));
    tokio::time::advance(Duration::from_secs(1)).await;
    queue.put("a");
    assert_eq!(queue.settle(&"a"), Some(began));
    assert_eq!(
        queue.oldest(),
        Some(after(1)),
        "what waits without a place counts, too"
    );
    assert_eq!(queue.take(Instant::now()), Some("b"));
    queue.release();
    assert_eq!(queue.take(Instant::now()), Some("a"));
    assert_eq!(
        queue.settle(&"a"),
        Some(after(2)),
        "as old as the change since it was sent"
    );
    assert_eq!(queue.take(Instant::now()), Some("b"));
    assert_eq!(
        queue.settle(&"b"),
        Some(after(1)),
        "a lost stream makes nothing younger"
    );
    assert_eq!(queue.settle(&"b"), None);
    assert_eq!(queue.oldest(), None);
}

#[test]
fn an_overflow_counts_once_until_there_is_room_again() {
    let now = Instant::now();
    let mut queue = Queue::new(1);
    for key in 0..5 {
        queue.put(key);
    }
    assert_eq!(queue.take_overflows(), 1);
    assert_eq!(queue.take_overflows(), 0);
    while let Some(key) = queue.take(now) {
        queue.settle(&key);
    }
    queue.put(5);
    assert_eq!(queue.take_overflows(), 0);
    queue.put(6);
    assert_eq!(queue.take_overflows(), 1);
}
