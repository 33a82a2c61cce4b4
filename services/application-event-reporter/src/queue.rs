//! Which objects wait to be sent. Owns the promise that a full queue loses nothing: it holds keys, whose newest state is
//! looked up when their turn comes; a key for which there is no room is marked, and marked keys are swept in when there is.
//! One key is never in flight twice, so that the states of an object arrive in their order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How many keys wait in order.
pub const CAPACITY: usize = 1_000;

/// Keys in the order of their first change.
#[derive(Debug, Clone)]
pub struct Queue<K> {
    capacity: usize,
    waiting: VecDeque<K>,
    standing: BTreeMap<K, Standing>,
    marked: BTreeSet<K>,
}

/// Where a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Waiting,
    /// Waits without a place in the order.
    Marked,
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
        }
    }

    /// The key's object has changed.
    pub fn put(&mut self, key: K) {
        match self.standing.get(&key) {
            Some(Standing::InFlight) => {
                self.standing.insert(key, Standing::InFlightAgain);
            }
            Some(Standing::InFlightAgain | Standing::Waiting | Standing::Marked) => {}
            None => self.wait(key),
        }
    }

    /// The next key to send; it is in flight until it is settled.
    pub fn take(&mut self) -> Option<K> {
        let key = self.waiting.pop_front()?;
        self.standing.insert(key.clone(), Standing::InFlight);
        self.sweep();
        Some(key)
    }

    /// What was sent of the key has arrived, or needs not.
    pub fn settle(&mut self, key: &K) {
        match self.standing.get(key) {
            Some(Standing::InFlight) => {
                self.standing.remove(key);
            }
            Some(Standing::InFlightAgain) => self.wait(key.clone()),
            Some(Standing::Waiting | Standing::Marked) | None => {}
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

    /// Whether nothing waits and nothing is in flight.
    pub fn is_idle(&self) -> bool {
        self.standing.is_empty()
    }

    fn wait(&mut self, key: K) {
        if self.waiting.len() >= self.capacity {
            self.standing.insert(key.clone(), Standing::Marked);
            self.marked.insert(key);
            return;
        }
        self.standing.insert(key.clone(), Standing::Waiting);
        self.waiting.push_back(key);
    }

    fn sweep(&mut self) {
        while self.waiting.len() < self.capacity
            && let Some(key) = self.marked.pop_first()
        {
            self.wait(key);
        }
    }
}

#[cfg(test)]
mod tests;
