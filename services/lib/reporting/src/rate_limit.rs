//! Rate limit per object (token bucket). It delays reports of an object that changes continuously and drops none.

use std::{collections::BTreeMap, time::Duration};

use tokio::time::Instant;

/// Number of keys that are remembered before those are forgotten that may go as they like.
const REMEMBERED: usize = 1_024;

/// A bucket of tokens for each object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// How many times it may be sent at once, at least one.
    pub burst: u32,
    /// After this time it may be sent once more.
    pub every: Duration,
}

/// The buckets of those that are not full.
#[derive(Debug, Clone)]
pub(crate) struct TokenBuckets<K> {
    pace: RateLimit,
    full_at: BTreeMap<K, Instant>,
    most: usize,
}

impl RateLimit {
    /// Of reports: who looks at an object sees five states of it in a second, and no more.
    pub const REPORTS: Self = Self {
        burst: 50,
        every: Duration::from_millis(200),
    };
}

impl<K: Ord + Clone> TokenBuckets<K> {
    pub(crate) fn new(pace: RateLimit) -> Self {
        Self {
            pace,
            full_at: BTreeMap::new(),
            most: REMEMBERED,
        }
    }

    /// Since when, or from when on, the key may be taken.
    pub(crate) fn ready_at(&self, key: &K, now: Instant) -> Instant {
        let burst = self.pace.every * self.pace.burst.saturating_sub(1);
        let full_at = self.full_at.get(key);
        full_at.and_then(|at| at.checked_sub(burst)).unwrap_or(now)
    }

    /// The key was sent.
    pub(crate) fn spend(&mut self, key: &K, now: Instant) {
        let full_at = self.full_at.entry(key.clone()).or_insert(now);
        *full_at = (*full_at).max(now) + self.pace.every;
        if self.full_at.len() > self.most {
            self.full_at.retain(|_, at| *at > now);
            self.most = (self.full_at.len() * 2).max(REMEMBERED);
        }
    }

    /// Number of keys that are remembered.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.full_at.len()
    }
}

#[cfg(test)]
mod tests;
