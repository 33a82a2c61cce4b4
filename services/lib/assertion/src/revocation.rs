//! Revocation counter for cache invalidation.
//!
//! Caches store each key with the count from before its lookup, so a response in flight during a revocation is never reused.

use tokio::sync::watch;

/// Receiver of the revocation counter. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RevocationSignal(watch::Receiver<u64>);

/// Sender of the revocation counter.
#[derive(Clone, Debug, Default)]
pub struct RevocationNotifier(watch::Sender<u64>);

impl RevocationSignal {
    /// Creates a signal that never changes.
    #[must_use]
    pub fn none() -> Self {
        RevocationNotifier::default().revocations()
    }

    #[must_use]
    pub fn count(&self) -> u64 {
        *self.0.borrow()
    }

    /// Waits until the counter differs from `count` and returns it.
    pub async fn changed_since(&self, count: u64) -> u64 {
        let mut counts = self.0.clone();
        let changed = counts.wait_for(|now| *now != count).await;
        match changed.map(|now| *now) {
            Ok(now) => now,
            // The sender was dropped, so no revocation can follow.
            Err(_) => std::future::pending().await,
        }
    }
}

impl RevocationNotifier {
    /// Increments the counter. Call it after the revocation is durable.
    pub fn notify(&self) {
        self.0.send_modify(|count| *count += 1);
    }

    #[must_use]
    pub fn revocations(&self) -> RevocationSignal {
        RevocationSignal(self.0.subscribe())
    }
}
