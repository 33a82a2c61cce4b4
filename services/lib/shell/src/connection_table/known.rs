//! Addresses that have authenticated, the most recent ones.

use std::{collections::HashSet, mem};

use super::Source;

/// Keeps between `limit` and twice as many: the older half is forgotten when the newer one is full.
pub(super) struct KnownSources {
    limit: usize,
    newer: HashSet<Source>,
    older: HashSet<Source>,
}

impl KnownSources {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            newer: HashSet::new(),
            older: HashSet::new(),
        }
    }

    pub(super) fn insert(&mut self, source: Source) {
        if self.newer.len() >= self.limit {
            self.older = mem::take(&mut self.newer);
        }
        self.newer.insert(source);
    }

    pub(super) fn contains(&self, source: Source) -> bool {
        self.newer.contains(&source) || self.older.contains(&source)
    }
}
