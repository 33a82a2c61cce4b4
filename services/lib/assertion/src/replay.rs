//! One-time ids that were used, kept as long as their assertions could still be shown.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

const CAPACITY: usize = 200_000;

#[derive(Debug)]
pub(super) struct ReplayWindow {
    used: Mutex<Used>,
    capacity: usize,
}

#[derive(Debug, Default)]
struct Used {
    ids: HashSet<Arc<str>>,
    by_end: BinaryHeap<Reverse<(u64, Arc<str>)>>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Use {
    First,
    Again,
    /// Nothing can be remembered now, so nothing can be allowed.
    Full,
}

impl ReplayWindow {
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
    pub(super) fn take(&self, id: &str, end: u64, now: u64) -> Use {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.forget_until(now);
        if used.ids.contains(id) {
            return Use::Again;
        }
        if used.ids.len() >= self.capacity {
            return Use::Full;
        }
        let id: Arc<str> = id.into();
        used.ids.insert(id.clone());
        used.by_end.push(Reverse((end, id)));
        Use::First
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
