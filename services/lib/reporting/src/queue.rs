//! Queue of keys whose objects have to be reported. A full queue loses nothing: keys without room are marked and swept
//! in later. A key is never in flight twice, so states of one object arrive in order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tokio::time::Instant;

use crate::rate_limit::{RateLimit, TokenBuckets};

/// Default capacity.
pub const CAPACITY: usize = 1_000;

/// Keys in the order of their first change.
#[derive(Debug, Clone)]
pub struct Queue<K> {
    capacity: usize,
    waiting: VecDeque<K>,
    keys: BTreeMap<K, QueuedKey>,
    marked: BTreeSet<K>,
    delayed: BTreeSet<(Instant, K)>,
    buckets: Option<TokenBuckets<K>>,
    overflow: Overflow,
    /// Transitions to a full queue since the counter was last read.
    overflows: u64,
}

/// Treatment of keys that exceed the capacity.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// Marks the key and queues it when there is room.
    Swept,
    /// Drops the key: a deliberate fault for tests.
    Dropped,
    /// Marks the key and never queues it: a deliberate fault for tests.
    NeverSwept,
}

/// State of a key, and the time of its oldest unacknowledged change.
#[derive(Debug, Clone, Copy)]
struct QueuedKey {
    state: KeyState,
    since: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyState {
    Waiting,
    /// Waits outside the order.
    Marked,
    /// Delayed by the rate limit.
    Delayed,
    /// Held for enrichment until this time, or until the next change.
    Held(Instant),
    InFlight,
    /// In flight, and changed since at this time.
    InFlightChanged(Instant),
}

impl<K: Ord + Clone> Queue<K> {
    /// Creates a queue with at least one place in order.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity: capacity.max(1),
            waiting: VecDeque::new(),
            keys: BTreeMap::new(),
            marked: BTreeSet::new(),
            delayed: BTreeSet::new(),
            buckets: None,
            overflow: Overflow::Swept,
            overflows: 0,
        }
    }

    /// Limits how often each key is sent.
    #[must_use]
    pub fn with_rate_limit(self, pace: RateLimit) -> Self {
        Self {
            buckets: Some(TokenBuckets::new(pace)),
            ..self
        }
    }

    /// Sets the treatment of keys that exceed the capacity.
    #[doc(hidden)]
    #[must_use]
    pub fn on_overflow(self, overflow: Overflow) -> Self {
        Self { overflow, ..self }
    }

    /// Queues a key whose object changed.
    pub fn put(&mut self, key: K) {
        let now = Instant::now();
        match self.keys.get_mut(&key) {
            Some(entry) if entry.state == KeyState::InFlight => {
                entry.state = KeyState::InFlightChanged(now);
            }
            Some(entry) => {
                if let KeyState::Held(until) = entry.state {
                    self.delayed.remove(&(until, key.clone()));
                    self.requeue(key);
                }
            }
            None => self.enqueue(key, now),
        }
    }

    /// Queues a changed key after a hold, so that its enrichment can join the same report.
    pub fn hold(&mut self, key: K, until: Instant) {
        match self.keys.get(&key).map(|entry| entry.state) {
            None => {
                let (state, since) = (KeyState::Held(until), Instant::now());
                self.keys.insert(key.clone(), QueuedKey { state, since });
                self.delayed.insert((until, key));
            }
            Some(KeyState::Held(_)) => {}
            Some(
                KeyState::InFlight
                | KeyState::InFlightChanged(_)
                | KeyState::Waiting
                | KeyState::Marked
                | KeyState::Delayed,
            ) => self.put(key),
        }
    }

    /// Takes the next key, which is in flight until it is settled. Keys over their rate limit are delayed instead.
    pub fn take(&mut self, now: Instant) -> Option<K> {
        loop {
            let key = self.waiting.pop_front()?;
            let ready_at = self.buckets.as_ref().map(|it| it.ready_at(&key, now));
            match ready_at.filter(|at| *at > now) {
                Some(at) => {
                    self.set_state(&key, KeyState::Delayed);
                    self.delayed.insert((at, key));
                    self.sweep();
                }
                None => {
                    self.set_state(&key, KeyState::InFlight);
                    self.sweep();
                    return Some(key);
                }
            }
        }
    }

    /// Charges a sent report to the key's rate limit.
    pub fn record_sent(&mut self, key: &K, now: Instant) {
        if let Some(buckets) = &mut self.buckets {
            buckets.spend(key, now);
        }
    }

    /// Time at which the next delayed key is due.
    pub fn due(&self) -> Option<Instant> {
        self.delayed.first().map(|(at, _)| *at)
    }

    /// Queues the delayed keys that are due.
    pub fn wake(&mut self, now: Instant) {
        while self.due().is_some_and(|at| at <= now)
            && let Some((_, key)) = self.delayed.pop_first()
        {
            self.requeue(key);
        }
    }

    /// Ends the flight of a key. Returns the time of the change that was sent.
    pub fn settle(&mut self, key: &K) -> Option<Instant> {
        let QueuedKey { state, since } = *self.keys.get(key)?;
        match state {
            KeyState::InFlight => {
                self.keys.remove(key);
            }
            KeyState::InFlightChanged(changed) => self.enqueue(key.clone(), changed),
            KeyState::Waiting | KeyState::Marked | KeyState::Delayed | KeyState::Held(_) => {
                return None;
            }
        }
        Some(since)
    }

    /// Queues everything in flight again, after the stream was lost.
    pub fn release(&mut self) {
        let in_flight = |entry: &QueuedKey| {
            matches!(
                entry.state,
                KeyState::InFlight | KeyState::InFlightChanged(_)
            )
        };
        let lost = self.keys.iter().filter(|(_, entry)| in_flight(entry));
        let lost: Vec<K> = lost.map(|(key, _)| key.clone()).collect();
        for key in lost {
            self.requeue(key);
        }
    }

    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Number of keys in order.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Number of keys outside the order.
    pub fn marked(&self) -> usize {
        self.marked.len()
    }

    /// Number of delayed keys.
    pub fn delayed(&self) -> usize {
        self.delayed.len()
    }

    /// Time of the oldest unacknowledged change. Scans every key.
    pub fn oldest(&self) -> Option<Instant> {
        self.keys.values().map(|entry| entry.since).min()
    }

    /// Takes the number of transitions to a full queue.
    pub fn take_overflows(&mut self) -> u64 {
        std::mem::take(&mut self.overflows)
    }

    /// True without waiting keys and keys in flight.
    pub fn is_idle(&self) -> bool {
        self.keys.is_empty()
    }

    fn enqueue(&mut self, key: K, since: Instant) {
        let state = match self.waiting.len() >= self.capacity {
            true if self.overflow == Overflow::Dropped => {
                self.keys.remove(&key);
                return;
            }
            true => {
                self.overflows += u64::from(self.marked.is_empty());
                self.marked.insert(key.clone());
                KeyState::Marked
            }
            false => {
                self.waiting.push_back(key.clone());
                KeyState::Waiting
            }
        };
        self.keys.insert(key, QueuedKey { state, since });
    }

    /// Queues a known key again and preserves the time of its change.
    fn requeue(&mut self, key: K) {
        let since = self.keys.get(&key).map(|entry| entry.since);
        self.enqueue(key, since.unwrap_or_else(Instant::now));
    }

    fn set_state(&mut self, key: &K, state: KeyState) {
        if let Some(entry) = self.keys.get_mut(key) {
            entry.state = state;
        }
    }

    fn sweep(&mut self) {
        while self.overflow == Overflow::Swept
            && self.waiting.len() < self.capacity
            && let Some(key) = self.marked.pop_first()
        {
            self.requeue(key);
        }
    }
}

#[cfg(test)]
mod tests;
