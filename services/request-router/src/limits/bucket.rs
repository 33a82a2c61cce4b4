//! Token bucket. Time is a value, so a bucket has no clock of its own.

use std::{num::NonZeroU32, time::Duration};

use tokio::time::Instant;

/// An idle caller may make the calls of so many seconds at once.
const BURST: Duration = Duration::from_secs(3);

/// The calls of one caller, or into one runtime.
#[derive(Debug)]
pub(super) struct Bucket {
    /// Between two calls in the long run.
    interval: Duration,
    /// When every token is there again.
    full_at: Instant,
}

impl Bucket {
    pub(super) fn new(per_second: NonZeroU32, now: Instant) -> Self {
        Self {
            interval: Duration::from_secs(1) / per_second.get(),
            full_at: now,
        }
    }

    /// Takes a token, and returns how long to wait for it. Takes none if that is longer than `longest`, and returns how much
    /// earlier it was asked for, in whole seconds.
    pub(super) fn take(&mut self, now: Instant, longest: Duration) -> Result<Duration, Duration> {
        let owed = self.full_at.saturating_duration_since(now);
        let wait = owed.saturating_sub(BURST);
        if wait > longest {
            let early = wait - longest;
            return Err(Duration::from_secs(early.as_secs() + 1));
        }
        self.full_at = now + owed + self.interval;
        Ok(wait)
    }
}
