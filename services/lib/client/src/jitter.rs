//! Random jitter of delays: from the system, or from a seed for reproducible simulations.

use std::sync::{Arc, Mutex, PoisonError};

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

/// Source of random factors for delays. A clone continues the same sequence.
#[derive(Clone, Debug, Default)]
pub struct Jitter(Option<Arc<Mutex<StdRng>>>);

impl Jitter {
    /// Creates a reproducible sequence from a seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(Some(Arc::new(Mutex::new(StdRng::seed_from_u64(seed)))))
    }

    /// Returns a number from 0 to 1 inclusive.
    #[must_use]
    pub fn share(&self) -> f64 {
        match &self.0 {
            Some(random) => {
                let mut random = random.lock().unwrap_or_else(PoisonError::into_inner);
                random.random_range(0.0..=1.0)
            }
            None => rand::rng().random_range(0.0..=1.0),
        }
    }
}
