//! That something was revoked, as a number that rises. Whatever is remembered of keys is remembered under the number that
//! held before it was asked for, so that an answer which was under way during a revocation counts for nobody after it.

use tokio::sync::watch;

/// How often something was revoked, or may have been. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RevocationSignal(watch::Receiver<u64>);

/// Counts revocations.
#[derive(Clone, Debug, Default)]
pub struct RevocationNotifier(watch::Sender<u64>);

impl RevocationSignal {
    /// Where nothing is ever revoked.
    #[must_use]
    pub fn none() -> Self {
        RevocationNotifier::default().revocations()
    }

    /// How often by now.
    #[must_use]
    pub fn count(&self) -> u64 {
        *self.0.borrow()
    }

    /// Waits until it is another number than this.
    pub async fn changed_since(&self, count: u64) -> u64 {
        let mut counts = self.0.clone();
        let changed = counts.wait_for(|now| *now != count).await;
        match changed.map(|now| *now) {
            Ok(now) => now,
            // Nobody counts any more.
            Err(_) => std::future::pending().await,
        }
    }
}

impl RevocationNotifier {
    /// Something was revoked, or may have been. To be called when it is durable.
    pub fn notify(&self) {
        self.0.send_modify(|count| *count += 1);
    }

    /// For those who remember.
    #[must_use]
    pub fn revocations(&self) -> RevocationSignal {
        RevocationSignal(self.0.subscribe())
    }
}
