//! Replay cache: used one-time ids, kept until their assertions expire.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

const CAPACITY: usize = 200_000;

#[derive(Debug)]
pub(super) struct ReplayCache {
    used: Mutex<Used>,
    capacity: usize,
}

#[derive(Debug, Default)]
struct Used {
    ids: HashSet<Arc<str>>,
    by_end: BinaryHeap<Reverse<(u64, Arc<str>)>>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum UseResult {
    First,
    Again,
    /// The cache is full; a use that cannot be recorded must be rejected.
    Full,
}

impl ReplayCache {
    pub(super) fn new() -> Self {
        Self::with_capacity(CAPACITY)
    }

    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            used: Mutex::default(),
            capacity,
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.ids.len()
    }

    /// Marks `id` as used until `end`, in seconds since 1970.
    pub(super) fn take(&self, id: &str, end: u64, now: u64) -> UseResult {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.forget_until(now);
        if used.ids.contains(id) {
            return UseResult::Again;
        }
        if used.ids.len() >= self.capacity {
            return UseResult::Full;
        }
        let id: Arc<str> = id.into();
        used.ids.insert(id.clone());
        used.by_end.push(Reverse((end, id)));
        UseResult::First
    }
}

impl Used {
    fn forget_until(&mut self, now: u64) {
        while let Some(Reverse((end, _))) = self.by_end.peek() {
            if *end >= now {
                break;
            }
            if let Some(Reverse((_, id))) = self.by_end.pop() {
                self.ids.remove(&id);
            }
        }
    }
}
