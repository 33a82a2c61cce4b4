//! Exponential backoff with full jitter, so that the clients of a server do not reconnect simultaneously.

use std::time::Duration;

use crate::Jitter;

/// Delays that grow from `first` to `max`, each drawn between zero and the current bound.
#[derive(Debug, Clone)]
pub struct Backoff {
    first: Duration,
    most: Duration,
    attempt: u32,
    jitter: Jitter,
}

impl Backoff {
    /// Creates a backoff with the bounds of the first delay and of all delays.
    pub fn new(first: Duration, most: Duration) -> Self {
        Self {
            first,
            most,
            attempt: 0,
            jitter: Jitter::default(),
        }
    }

    /// Replaces the source of jitter.
    #[must_use]
    pub fn with_jitter(self, jitter: Jitter) -> Self {
        Self { jitter, ..self }
    }

    /// Returns the delay before the next attempt.
    pub fn next_delay(&mut self) -> Duration {
        let bound = self.bound();
        self.attempt = self.attempt.saturating_add(1);
        bound.mul_f64(self.jitter.share())
    }

    /// Resets the bound; call it after a success.
    pub fn reset(&mut self) {
        self.attempt = 0;
    }

    fn bound(&self) -> Duration {
        let factor = 1_u32.checked_shl(self.attempt.min(31)).unwrap_or(u32::MAX);
        self.first.saturating_mul(factor).min(self.most)
    }
}

#[cfg(test)]
mod tests;
