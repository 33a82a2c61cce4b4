//! Storage of reported states. Guarantees that an acknowledged write survives a crash, and that the change numbers of an account have
//! no gap that is filled later. SQLite, PostgreSQL and the in-memory store pass the same tests; the ordering rules are in `order.rs`.

mod membership;
// A crate that only tests link. Unit tests compile its source, since they cannot link a crate that depends on this one.
#[cfg(test)]
#[path = "../../../tests/memory-store/src/lib.rs"]
pub mod memory;
mod predicates;
mod reads;
pub mod sql;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use causeway_proto::ids::AccountId;
use futures::future::BoxFuture;
use tokio::sync::watch;

use crate::{
    application::{Change, HeldState, Scope},
    digest::Digest,
    event::Event,
    history::retention::RetentionRules,
    quota::Owner,
    resource::Resource,
};
pub use membership::{HeartbeatOutcome, MembershipStore};
pub use reads::{
    ApplicationReads, DeploymentReads, EventReads, HistoryReads, ImageReads, ManifestReads, Reads,
    ResourceReads, SearchReads,
};

/// Error of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database is unreachable or too slow; a later attempt may succeed.
    #[error("the database does not answer: try again")]
    Unavailable,
    /// The writer task has ended.
    #[error("the store has stopped")]
    Stopped,
    /// The disk or the database returned an error.
    #[error("the store does not work: check the disk and the database")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A stored value fails validation.
    #[error("the store holds a {0} that cannot be read")]
    Corrupt(&'static str),
}

/// Write request. Each one is applied whole or not at all.
#[derive(Debug, Clone)]
pub enum Write {
    /// Change of an Application. The held state, if it is still current, serves as the base of the history patch.
    Report(Arc<Change>, Option<HeldState>),
    /// Change of another Kubernetes object.
    Resource(Arc<Change<Resource>>),
    /// Change of a Kubernetes event.
    Event(Arc<Change<Event>>),
    /// Manifest with a verified digest, of the runtime that sent it.
    Manifest(Owner, Digest, Bytes),
    /// Next fencing epoch of a report stream.
    Epoch(Scope),
    /// One batch of garbage collection: rows that have been garbage for at least this long.
    Collect(Garbage, Duration),
    /// One batch of history compaction, beginning after the history with this id.
    Compact(RetentionRules, i64),
    /// The same of one runtime.
    CompactRuntime(Owner, RetentionRules, i64),
}

impl Write {
    /// Approximate size in memory, in bytes.
    fn size(&self) -> usize {
        match self {
            Self::Report(change, base) => {
                change.size() + base.as_ref().map_or(0, |base| base.canonical.len())
            }
            Self::Resource(change) => change.size(),
            Self::Event(change) => change.size(),
            Self::Manifest(_, _, content) => content.len(),
            Self::Epoch(_) | Self::Collect(..) | Self::Compact(..) | Self::CompactRuntime(..) => 0,
        }
    }
}

/// Kind of rows that garbage collection removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Garbage {
    /// Tombstones of applications. Watch cursors older than a removed tombstone expire.
    Applications,
    /// Tombstones of resources. Watch cursors older than a removed tombstone expire.
    Resources,
    /// Events by the time of their last report.
    Events,
    /// Recorded operations.
    Deployments,
    /// Mark phase for manifests after this id: sets `unused_since` where no live object references them. Removes nothing.
    UnreferencedManifests(i64),
    /// Sweep phase: manifests that have been marked for the whole age and are still unreferenced.
    UnusedManifests,
}

/// Result of a committed write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The report or manifest is stored.
    Stored,
    /// The store holds a newer state.
    Superseded,
    /// Nothing was written, because these referenced manifests are missing.
    Missing(Vec<Digest>),
    /// The new epoch.
    Epoch(u64),
    /// One batch of garbage was removed.
    Collected {
        /// Number of removed rows.
        count: u64,
        /// Argument of the next batch, if there may be more.
        next: Option<Garbage>,
    },
    /// One batch of histories was compacted.
    Compacted {
        /// Id after which the next batch begins, if there may be more.
        next: Option<i64>,
    },
}

/// Pending result of a queued write; resolves after the commit.
pub type Receipt = BoxFuture<'static, Result<Outcome, StoreError>>;

/// First and last change number that watches of an account can use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChangeBounds {
    /// Number of the last change.
    pub latest: u64,
    /// Highest number among removed tombstones; older cursors have expired.
    pub forgotten: u64,
}

/// Store of one inventory.
pub trait Store: Send + Sync + 'static {
    /// Queues a write; waits while the queue is full.
    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>>;

    /// Queries on committed data.
    fn reads(&self) -> &dyn Reads;

    /// Reporter memberships.
    fn memberships(&self) -> &dyn MembershipStore;

    /// Number of queued writes.
    fn queued(&self) -> usize {
        0
    }
}

/// Range of change numbers: `after` is excluded, `to` is included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeRange {
    /// Excluded lower bound.
    pub after: u64,
    /// Included upper bound.
    pub to: u64,
}

/// Wakes watchers after commits. It carries only the last change number: watchers read the changes from the store, so nothing is
/// buffered for slow ones.
#[derive(Debug, Default)]
pub struct CommitNotifier(Mutex<HashMap<AccountId, watch::Sender<u64>>>);

impl CommitNotifier {
    /// Subscribes to the number of the account's last change. It only rises.
    pub fn subscribe(&self, account: &AccountId) -> watch::Receiver<u64> {
        let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        accounts.entry(account.clone()).or_default().subscribe()
    }

    pub(crate) fn subscriber_count(&self) -> usize {
        let accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        accounts.values().map(watch::Sender::receiver_count).sum()
    }

    /// Wakes the watchers of an account.
    pub fn publish(&self, account: &AccountId, change: u64) {
        let accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Accounts without a watcher have no entry, so nothing is kept for them.
        if let Some(sender) = accounts.get(account) {
            sender.send_if_modified(|last| {
                let newer = change > *last;
                *last = change.max(*last);
                newer
            });
        }
    }
}

#[cfg(test)]
mod tests;
