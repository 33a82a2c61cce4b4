//! Objects that the inventory refuses while the runtime has reached a quota. They stay in the queue and are sent again.

use std::{collections::BTreeSet, time::Duration};

use tokio::time::Instant;

use super::Reporter;
use crate::{object::ObjectKey, reported_kind::ReportedKind};

/// The field of such a rejection.
pub(super) const QUOTA: &str = "quota";
/// Time until a refused object is sent again.
const RETRY_AFTER: Duration = Duration::from_secs(300);

/// Objects that wait for room, as far as the present session knows.
#[derive(Debug)]
pub(super) struct Refused {
    keys: BTreeSet<ObjectKey>,
    /// Topic of the notice about them.
    topic: String,
}

impl Refused {
    pub(super) fn new(kind: &str, cluster: &str) -> Self {
        Self {
            keys: BTreeSet::new(),
            topic: format!("quota {kind} {cluster}"),
        }
    }
}

impl<R: ReportedKind> Reporter<R> {
    /// Holds an object back until there may be room, or until its next change.
    pub(super) fn wait_for_room(&mut self, key: ObjectKey, reason: &str) {
        if self.refused.keys.is_empty() {
            tracing::warn!(object = %key, reason, "the inventory refuses new objects");
        }
        self.refused.keys.insert(key.clone());
        self.queue.hold(key, Instant::now() + RETRY_AFTER);
        let line = format!(
            "holds back {} new {} of cluster {}: the {reason}",
            self.refused.keys.len(),
            self.setup.kind.noun(),
            self.setup.cluster,
        );
        self.setup.notices.raise(self.refused.topic.clone(), line);
    }

    /// Takes note that an object waits no longer.
    pub(super) fn has_room(&mut self, key: &ObjectKey) {
        if self.refused.keys.remove(key) && self.refused.keys.is_empty() {
            self.setup.notices.clear(&self.refused.topic);
        }
    }

    /// Takes note that objects may have become those of another reporter, or the inventory another one.
    pub(super) fn recheck_room(&mut self) {
        self.refused.keys.clear();
        self.setup.notices.clear(&self.refused.topic);
    }
}
