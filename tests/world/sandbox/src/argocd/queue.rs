//! Work queue of applications to reconcile: each once, with the strongest reason, and one worker at a time.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::Notify, time::Instant};

use super::application::ApplicationKey;

/// Reason to reconcile; later ones include the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// something live changed, or the Application itself
    Changed,
    /// the repository may hold something newer
    Latest,
}

#[derive(Debug, Default)]
pub(crate) struct Queue {
    inner: Mutex<Inner>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    wanted: BTreeMap<ApplicationKey, Reason>,
    running: BTreeSet<ApplicationKey>,
    timers: BTreeSet<(Instant, ApplicationKey)>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, key: ApplicationKey, reason: Reason) {
        let mut inner = self.lock();
        let strongest = inner
            .wanted
            .get(&key)
            .map_or(reason, |held| reason.max(*held));
        inner.wanted.insert(key, strongest);
        drop(inner);
        self.filled.notify_one();
    }

    pub(crate) fn push_at(&self, at: Instant, key: ApplicationKey) {
        self.lock().timers.insert((at, key));
    }

    /// Takes the next application that no worker has; its turn lasts until [`Queue::done`].
    pub(crate) fn take(&self) -> Option<(ApplicationKey, Reason)> {
        let mut inner = self.lock();
        let key = inner
            .wanted
            .keys()
            .find(|key| !inner.running.contains(*key))
            .cloned()?;
        let reason = inner.wanted.remove(&key)?;
        inner.running.insert(key.clone());
        Some((key, reason))
    }

    pub(crate) fn done(&self, key: &ApplicationKey) {
        self.lock().running.remove(key);
        self.filled.notify_one();
    }

    /// Moves what is due into the queue; waits for the next filling or timer.
    pub(crate) async fn wait(&self) {
        let next = self.lock().timers.first().map(|(at, _)| *at);
        match next {
            Some(at) => {
                let _ = tokio::time::timeout_at(at, self.filled.notified()).await;
            }
            None => self.filled.notified().await,
        }
        self.ring();
    }

    fn ring(&self) {
        let mut inner = self.lock();
        let now = Instant::now();
        while inner.timers.first().is_some_and(|(at, _)| *at <= now) {
            if let Some((_, key)) = inner.timers.pop_first() {
                inner.wanted.entry(key).or_insert(Reason::Changed);
            }
        }
    }
}
