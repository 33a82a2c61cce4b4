//! Two-generation cache of verified assertions and certificates, keyed by their text.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The end of a token is its signature, which serves as the hash key. The whole token is compared byte by byte afterwards.
const SIGNATURE_END: usize = 16;

type Place = [u8; SIGNATURE_END];

/// Values by token: the newest and the recently used ones, at most twice `capacity`.
pub(super) struct TokenCache<V> {
    capacity: usize,
    generations: RwLock<Generations<V>>,
}

struct Generations<V> {
    young: HashMap<Place, Entry<V>>,
    old: HashMap<Place, Entry<V>>,
}

struct Entry<V> {
    assertion: Arc<str>,
    value: Arc<V>,
}

impl<V> Clone for Entry<V> {
    fn clone(&self) -> Self {
        Self {
            assertion: Arc::clone(&self.assertion),
            value: Arc::clone(&self.value),
        }
    }
}

impl<V> TokenCache<V> {
    pub(super) fn new(capacity: usize) -> Self {
        let generations = Generations {
            young: HashMap::new(),
            old: HashMap::new(),
        };
        Self {
            capacity,
            generations: RwLock::new(generations),
        }
    }

    pub(super) fn get(&self, assertion: &str) -> Option<Arc<V>> {
        let place = place(assertion)?;
        let is_same = |found: &&Entry<V>| *found.assertion == *assertion;
        let generations = self
            .generations
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = generations.young.get(&place).filter(is_same) {
            return Some(Arc::clone(&found.value));
        }
        let found = generations.old.get(&place).filter(is_same)?.clone();
        drop(generations);
        let value = Arc::clone(&found.value);
        self.keep(place, found);
        Some(value)
    }

    pub(super) fn insert(&self, assertion: &str, value: Arc<V>) {
        let assertion: Arc<str> = assertion.into();
        if let Some(place) = place(&assertion) {
            self.keep(place, Entry { assertion, value });
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let generations = self.write();
        generations.young.len() + generations.old.len()
    }

    fn keep(&self, place: Place, remembered: Entry<V>) {
        let mut generations = self.write();
        if generations.young.len() >= self.capacity {
            generations.old = std::mem::take(&mut generations.young);
        }
        generations.young.insert(place, remembered);
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Generations<V>> {
        self.generations
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn place(assertion: &str) -> Option<Place> {
    assertion.as_bytes().last_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(number: usize) -> String {
        format!("head.claims.{number:016}")
    }

    #[test]
    fn only_the_very_same_assertion_is_remembered() {
        let memory = TokenCache::new(10);
        memory.insert(&text(1), Arc::new(1));
        assert_eq!(memory.get(&text(1)).as_deref(), Some(&1));
        assert_eq!(memory.get(&format!("other{}", text(1))), None);
        assert_eq!(memory.get(&text(2)), None);
        assert_eq!(memory.get("short"), None);
    }

    #[test]
    fn what_is_asked_for_stays_and_what_is_not_goes() {
        let memory = TokenCache::new(10);
        for number in 0..100 {
            memory.insert(&text(number), Arc::new(number));
            assert!(memory.get(&text(0)).is_some(), "{number}");
        }
        assert_eq!(memory.get(&text(50)), None);
        let generations = memory.write();
        assert!(generations.young.len() + generations.old.len() <= 20);
    }
}
