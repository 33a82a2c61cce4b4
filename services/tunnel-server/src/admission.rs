//! Limits unauthenticated connections and handshakes per second, which dominate the cost of a reconnect storm.

use std::sync::Arc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Concurrent connections without an identity.
const MAX_UNAUTHENTICATED: usize = 512;
const HANDSHAKES_PER_SECOND: u32 = 500;

/// Guards the tunnel listener.
pub(crate) struct Admission {
    unauthenticated: Arc<Semaphore>,
    handshakes: Mutex<Bucket>,
}

impl Admission {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            unauthenticated: Arc::new(Semaphore::new(MAX_UNAUTHENTICATED)),
            handshakes: Mutex::new(Bucket::new(HANDSHAKES_PER_SECOND, now)),
        }
    }

    /// Reserves a permit until the connection has authenticated; without one it is closed at once.
    pub(crate) fn admit(&self, now: Instant) -> Option<OwnedSemaphorePermit> {
        let permit = Arc::clone(&self.unauthenticated).try_acquire_owned().ok()?;
        let mut handshakes = self
            .handshakes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        handshakes.take(now).then_some(permit)
    }
}

/// Token bucket with a capacity of one second.
#[derive(Debug)]
struct Bucket {
    per_second: u32,
    tokens: f64,
    filled: Instant,
}

impl Bucket {
    fn new(per_second: u32, now: Instant) -> Self {
        Self {
            per_second,
            tokens: per_second.into(),
            filled: now,
        }
    }

    fn take(&mut self, now: Instant) -> bool {
        let elapsed: Duration = now.saturating_duration_since(self.filled);
        let most = f64::from(self.per_second);
        self.tokens = elapsed.as_secs_f64().mul_add(most, self.tokens).min(most);
        self.filled = now;
        if self.tokens < 1.0 {
            return false;
        }
        self.tokens -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_up_to_the_rate_and_then_at_the_rate() {
        let begin = Instant::now();
        let mut bucket = Bucket::new(10, begin);
        assert_eq!((0..20).filter(|_| bucket.take(begin)).count(), 10);
        let later = begin + Duration::from_millis(300);
        assert_eq!((0..20).filter(|_| bucket.take(later)).count(), 3);
    }

    #[test]
    fn unauthenticated_connections_are_limited_until_one_leaves() {
        let begin = Instant::now();
        let admission = Admission::new(begin);
        let mut inside = Vec::new();
        for second in 0..2 {
            let now = begin + Duration::from_secs(second);
            inside.extend((0..MAX_UNAUTHENTICATED).map_while(|_| admission.admit(now)));
        }
        assert_eq!(inside.len(), MAX_UNAUTHENTICATED);
        inside.pop();
        assert!(admission.admit(begin + Duration::from_secs(3)).is_some());
    }
}
