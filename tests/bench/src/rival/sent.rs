//! What was sent last, by a hash, for 20 minutes.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    time::Duration,
};

use serde_json::Value;
use tokio::time::Instant;

const KEPT: Duration = Duration::from_secs(20 * 60);

/// See the module text.
#[derive(Default)]
pub(super) struct Sent(HashMap<String, (u64, Instant)>);

impl Sent {
    /// Whether this is something else than what was sent by this key; it counts as sent from now on.
    pub(super) fn is_new(&mut self, key: String, what: &[&Value]) -> bool {
        let mut hasher = DefaultHasher::new();
        for value in what {
            value.hash(&mut hasher);
        }
        let (hash, now) = (hasher.finish(), Instant::now());
        let before = self.0.insert(key, (hash, now));
        before.is_none_or(|(before, at)| before != hash || now.duration_since(at) > KEPT)
    }

    /// Forgets what begins so.
    pub(super) fn forget(&mut self, prefix: &str) {
        self.0.retain(|key, _| !key.starts_with(prefix));
    }
}
