//! Which objects wait to be sent. Owns the promise that a full queue loses nothing: it holds keys, whose newest state is
//! looked up when their turn comes; a key for which there is no room is marked, and marked keys are swept in when there is.
//! One key is never in flight twice, so that the states of an object arrive in their order. A key that was sent too often is
//! delayed, and keeps nobody else waiting.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tokio::time::Instant;

use crate::pace::{Buckets, Pace};

/// How many keys wait in order.
pub const CAPACITY: usize = 1_000;

/// Keys in the order of their first change.
#[derive(Debug, Clone)]
pub struct Queue<K> {
    capacity: usize,
    waiting: VecDeque<K>,
    standing: BTreeMap<K, Standing>,
    marked: BTreeSet<K>,
    delayed: BTreeSet<(Instant, K)>,
    buckets: Option<Buckets<K>>,
    overflow: Overflow,
}

/// What becomes of a key for which there is no room.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// It is marked, and swept in when there is room.
    Swept,
    /// Broken on purpose, for tests that must notice it: it is dropped.
    Dropped,
    /// The same: it is marked, and never swept in.
    NeverSwept,
}

/// Where a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Waiting,
    /// Waits without a place in the order.
    Marked,
    /// Waits for its time.
    Delayed,
    /// The same, unless it changes before.
    Held(Instant),
    InFlight,
    /// In flight, and has changed since.
    InFlightAgain,
}

impl<K: Ord + Clone> Queue<K> {
    /// At most `capacity` keys wait in order, at least one.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity: capacity.max(1),
            waiting: VecDeque::new(),
            standing: BTreeMap::new(),
            marked: BTreeSet::new(),
            delayed: BTreeSet::new(),
            buckets: None,
            overflow: Overflow::Swept,
        }
    }

    /// The same, where each key is sent no more often than this.
    #[must_use]
    pub fn paced(self, pace: Pace) -> Self {
        Self {
            buckets: Some(Buckets::new(pace)),
            ..self
        }
    }

    /// The same, where this becomes of a key for which there is no room.
    #[doc(hidden)]
    #[must_use]
    pub fn on_overflow(self, overflow: Overflow) -> Self {
        Self { overflow, ..self }
    }

    /// The key's object has changed.
    pub fn put(&mut self, key: K) {
        match self.standing.get(&key) {
            Some(Standing::InFlight) => {
                self.standing.insert(key, Standing::InFlightAgain);
            }
            Some(Standing::Held(until)) => {
                self.delayed.remove(&(*until, key.clone()));
                self.wait(key);
            }
            Some(
                Standing::InFlightAgain | Standing::Waiting | Standing::Marked | Standing::Delayed,
            ) => {}
            None => self.wait(key),
        }
    }

    /// The key's object has changed, and more of it may be known soon: it waits for that until a time at most.
    pub fn hold(&mut self, key: K, until: Instant) {
        match self.standing.get(&key) {
            None => {
                self.standing.insert(key.clone(), Standing::Held(until));
                self.delayed.insert((until, key));
            }
            Some(Standing::Held(_)) => {}
            Some(
                Standing::InFlight
                | Standing::InFlightAgain
                | Standing::Waiting
                | Standing::Marked
                | Standing::Delayed,
            ) => self.put(key),
        }
    }

    /// The next key to send; it is in flight until it is settled. Those that were sent too often are delayed, and the others have
    /// their turn.
    pub fn take(&mut self, now: Instant) -> Option<K> {
        loop {
            let key = self.waiting.pop_front()?;
            let ready_at = self.buckets.as_ref().map(|it| it.ready_at(&key, now));
            match ready_at.filter(|at| *at > now) {
                Some(at) => {
                    self.standing.insert(key.clone(), Standing::Delayed);
                    self.delayed.insert((at, key));
                    self.sweep();
                }
                None => {
                    self.standing.insert(key.clone(), Standing::InFlight);
                    self.sweep();
                    return Some(key);
                }
            }
        }
    }

    /// A state of the key goes out, which counts for its pace.
    pub fn sent(&mut self, key: &K, now: Instant) {
        if let Some(buckets) = &mut self.buckets {
            buckets.spend(key, now);
        }
    }

    /// When the next delayed key may wait in order again.
    pub fn due(&self) -> Option<Instant> {
        self.delayed.first().map(|(at, _)| *at)
    }

    /// Delayed keys whose time has come wait in order again.
    pub fn wake(&mut self, now: Instant) {
        while self.due().is_some_and(|at| at <= now)
            && let Some((_, key)) = self.delayed.pop_first()
        {
            self.wait(key);
        }
    }

    /// What was sent of the key has arrived, or needs not.
    pub fn settle(&mut self, key: &K) {
        match self.standing.get(key) {
            Some(Standing::InFlight) => {
                self.standing.remove(key);
            }
            Some(Standing::InFlightAgain) => self.wait(key.clone()),
            Some(Standing::Waiting | Standing::Marked | Standing::Delayed | Standing::Held(_))
            | None => {}
        }
    }

    /// Nothing that is in flight will be answered: all of it waits again.
    pub fn release(&mut self) {
        let flying =
            |standing: &Standing| matches!(standing, Standing::InFlight | Standing::InFlightAgain);
        let lost = self
            .standing
            .iter()
            .filter(|(_, standing)| flying(standing));
        let lost: Vec<K> = lost.map(|(key, _)| key.clone()).collect();
        for key in lost {
            self.wait(key);
        }
    }

    /// Whether a key waits.
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// How many keys wait in order.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// How many keys wait without a place in the order.
    pub fn marked(&self) -> usize {
        self.marked.len()
    }

    /// How many keys wait for their time.
    pub fn delayed(&self) -> usize {
        self.delayed.len()
    }

    /// Whether nothing waits and nothing is in flight.
    pub fn is_idle(&self) -> bool {
        self.standing.is_empty()
    }

    fn wait(&mut self, key: K) {
        if self.waiting.len() >= self.capacity {
            if self.overflow == Overflow::Dropped {
                self.standing.remove(&key);
                return;
            }
            self.standing.insert(key.clone(), Standing::Marked);
            self.marked.insert(key);
            return;
        }
        self.standing.insert(key.clone(), Standing::Waiting);
        self.waiting.push_back(key);
    }

    fn sweep(&mut self) {
        while self.overflow == Overflow::Swept
            && self.waiting.len() < self.capacity
            && let Some(key) = self.marked.pop_first()
        {
            self.wait(key);
        }
    }
}

#[cfg(test)]
mod tests;
