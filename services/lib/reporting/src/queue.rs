//! Queue of keys whose objects have to be reported. A full queue loses nothing: keys without room are marked and swept
//! in later. A key is never in flight twice, so states of one object arrive in order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tokio::time::Instant;

use crate::rate_limit::{RateLimit, TokenBuckets};

/// How many keys wait in order.
pub const CAPACITY: usize = 1_000;

/// Keys in the order of their first change.
#[derive(Debug, Clone)]
pub struct Queue<K> {
    capacity: usize,
    waiting: VecDeque<K>,
    standing: BTreeMap<K, Place>,
    marked: BTreeSet<K>,
    delayed: BTreeSet<(Instant, K)>,
    buckets: Option<TokenBuckets<K>>,
    overflow: Overflow,
    /// How often there was no room where there had been some, since it was last told.
    overflows: u64,
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

/// Where a key is, and since when its object's oldest change is on the way.
#[derive(Debug, Clone, Copy)]
struct Place {
    standing: Standing,
    since: Instant,
}

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
    /// In flight, and has changed since, at this time first.
    InFlightAgain(Instant),
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
            overflows: 0,
        }
    }

    /// The same, where each key is sent no more often than this.
    #[must_use]
    pub fn with_rate_limit(self, pace: RateLimit) -> Self {
        Self {
            buckets: Some(TokenBuckets::new(pace)),
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
        let now = Instant::now();
        match self.standing.get_mut(&key) {
            Some(place) if place.standing == Standing::InFlight => {
                place.standing = Standing::InFlightAgain(now);
            }
            Some(place) => {
                if let Standing::Held(until) = place.standing {
                    self.delayed.remove(&(until, key.clone()));
                    self.wait_on(key);
                }
            }
            None => self.wait(key, now),
        }
    }

    /// The key's object has changed, and more of it may be known soon: it waits for that until a time at most.
    pub fn hold(&mut self, key: K, until: Instant) {
        match self.standing.get(&key).map(|place| place.standing) {
            None => {
                let (standing, since) = (Standing::Held(until), Instant::now());
                self.standing.insert(key.clone(), Place { standing, since });
                self.delayed.insert((until, key));
            }
            Some(Standing::Held(_)) => {}
            Some(
                Standing::InFlight
                | Standing::InFlightAgain(_)
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
                    self.stand(&key, Standing::Delayed);
                    self.delayed.insert((at, key));
                    self.sweep();
                }
                None => {
                    self.stand(&key, Standing::InFlight);
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
            self.wait_on(key);
        }
    }

    /// What was sent of the key has arrived, or needs not. Gives since when its oldest change was on the way.
    pub fn settle(&mut self, key: &K) -> Option<Instant> {
        let Place { standing, since } = *self.standing.get(key)?;
        match standing {
            Standing::InFlight => {
                self.standing.remove(key);
            }
            Standing::InFlightAgain(changed) => self.wait(key.clone(), changed),
            Standing::Waiting | Standing::Marked | Standing::Delayed | Standing::Held(_) => {
                return None;
            }
        }
        Some(since)
    }

    /// Nothing that is in flight will be answered: all of it waits again.
    pub fn release(&mut self) {
        let flying = |place: &Place| {
            matches!(
                place.standing,
                Standing::InFlight | Standing::InFlightAgain(_)
            )
        };
        let lost = self.standing.iter().filter(|(_, place)| flying(place));
        let lost: Vec<K> = lost.map(|(key, _)| key.clone()).collect();
        for key in lost {
            self.wait_on(key);
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

    /// Since when the oldest change is on the way. Looks at every key.
    pub fn oldest(&self) -> Option<Instant> {
        self.standing.values().map(|place| place.since).min()
    }

    /// How often a key found no room after there had been some, since this was last asked.
    pub fn take_overflows(&mut self) -> u64 {
        std::mem::take(&mut self.overflows)
    }

    /// Whether nothing waits and nothing is in flight.
    pub fn is_idle(&self) -> bool {
        self.standing.is_empty()
    }

    fn wait(&mut self, key: K, since: Instant) {
        let standing = match self.waiting.len() >= self.capacity {
            true if self.overflow == Overflow::Dropped => {
                self.standing.remove(&key);
                return;
            }
            true => {
                self.overflows += u64::from(self.marked.is_empty());
                self.marked.insert(key.clone());
                Standing::Marked
            }
            false => {
                self.waiting.push_back(key.clone());
                Standing::Waiting
            }
        };
        self.standing.insert(key, Place { standing, since });
    }

    /// A key that has a place waits for its turn again, as long as it has been on the way.
    fn wait_on(&mut self, key: K) {
        let since = self.standing.get(&key).map(|place| place.since);
        self.wait(key, since.unwrap_or_else(Instant::now));
    }

    fn stand(&mut self, key: &K, standing: Standing) {
        if let Some(place) = self.standing.get_mut(key) {
            place.standing = standing;
        }
    }

    fn sweep(&mut self) {
        while self.overflow == Overflow::Swept
            && self.waiting.len() < self.capacity
            && let Some(key) = self.marked.pop_first()
        {
            self.wait_on(key);
        }
    }
}

#[cfg(test)]
mod tests;
