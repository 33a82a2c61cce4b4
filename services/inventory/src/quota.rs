//! Quotas of a runtime: how many objects it may have here, and how many bytes these may take.
//!
//! Only new objects are refused. A change or a deletion of an object that is held always passes, so that no final state is lost; its
//! reporter sends a refused object again. The count is read from the store now and then, so that a runtime may exceed its quota by
//! about one in a hundred.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use causeway_proto::ids::{AccountId, RuntimeId};
use tokio::time::Instant;

use crate::kind::ObjectKind;

/// A count of a runtime near its quota holds for so long.
const COUNT_HOLDS: Duration = Duration::from_secs(10);
/// A count also ends after reports of so large a part of the quota.
const COUNTED_PART: u64 = 100;

/// What one runtime may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub struct Quotas {
    /// Objects that one runtime may have here, and as many events; further new ones wait in the runtime until others are deleted
    #[arg(
        long,
        env = "CAUSEWAY_OBJECTS_PER_RUNTIME",
        value_name = "NUMBER",
        default_value_t = Self::DEFAULT.objects_per_runtime
    )]
    pub objects_per_runtime: u64,
    /// MiB that states and manifests of one runtime may take here; beyond them, new objects wait in the runtime
    #[arg(
        long,
        env = "CAUSEWAY_MIB_PER_RUNTIME",
        value_name = "MIB",
        default_value_t = Self::DEFAULT.mib_per_runtime
    )]
    pub mib_per_runtime: u64,
    /// Former states of applications that are kept of one runtime; beyond them, the oldest are deleted every hour
    #[arg(
        long,
        env = "CAUSEWAY_HISTORY_PER_RUNTIME",
        value_name = "NUMBER",
        default_value_t = Self::DEFAULT.history_per_runtime
    )]
    pub history_per_runtime: u64,
}

impl Quotas {
    /// The default quotas.
    pub const DEFAULT: Self = Self {
        objects_per_runtime: 100_000,
        mib_per_runtime: 4096,
        history_per_runtime: 10_000_000,
    };

    fn bytes(&self) -> u64 {
        self.mib_per_runtime.saturating_mul(1 << 20)
    }

    /// The quota that a runtime has reached.
    fn reached(&self, usage: Usage, kind: &ObjectKind) -> Option<QuotaError> {
        let objects = match kind {
            ObjectKind::Application | ObjectKind::Resource(_) => usage.objects,
            ObjectKind::Event => usage.events,
        };
        if objects >= self.objects_per_runtime {
            return Some(QuotaError::Objects {
                objects,
                most: self.objects_per_runtime,
            });
        }
        (usage.bytes >= self.bytes()).then_some(QuotaError::Bytes {
            mib: usage.bytes >> 20,
            most: self.mib_per_runtime,
        })
    }
}

/// What one runtime has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Live objects other than events.
    pub objects: u64,
    /// Events.
    pub events: u64,
    /// Of live states, of events, and of manifests in use that the runtime was the first to send.
    pub bytes: u64,
}

/// Why a new object is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QuotaError {
    /// There are too many.
    #[error(
        "is reached: the runtime has {objects} objects and may have {most}; delete some, or raise --objects-per-runtime of the inventory"
    )]
    Objects {
        /// What it has.
        objects: u64,
        /// What it may have.
        most: u64,
    },
    /// They are too large.
    #[error(
        "is reached: states and manifests of the runtime take {mib} MiB and may take {most}; delete some, or raise --mib-per-runtime of the inventory"
    )]
    Bytes {
        /// What they take.
        mib: u64,
        /// What they may take.
        most: u64,
    },
}

/// An account and one of its runtimes.
pub type Owner = (AccountId, RuntimeId);

/// A runtime with more history than its quota.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryExcess {
    /// Whose.
    pub owner: Owner,
    /// What was superseded by then is beyond the quota, in ms since 1970.
    pub until: i64,
}

/// Usage of each runtime as it was last counted, shared by all its streams.
#[derive(Debug)]
pub struct QuotaLedger {
    quotas: Quotas,
    counts: Mutex<HashMap<Owner, Count>>,
}

/// Usage of a runtime, and what was reported since it was counted.
#[derive(Debug, Clone, Copy)]
struct Count {
    usage: Usage,
    at: Instant,
    reports: u64,
    bytes: u64,
}

/// What is known before a report is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// There is room, even if every report since the last count was a new object.
    Enough,
    /// The usage has to be counted.
    Unknown,
    /// The quota was reached a moment ago.
    None(QuotaError),
}

impl QuotaLedger {
    /// A ledger without counts.
    #[must_use]
    pub fn new(quotas: Quotas) -> Self {
        Self {
            quotas,
            counts: Mutex::default(),
        }
    }

    /// Takes note of a report with a state of so many bytes.
    pub fn note(&self, owner: &Owner, kind: &ObjectKind, bytes: u64) -> Room {
        let mut counts = self.counts();
        let Some(count) = counts.get_mut(owner) else {
            return Room::Unknown;
        };
        count.reports += 1;
        count.bytes += bytes;
        let most = Usage {
            objects: count.usage.objects + count.reports - 1,
            events: count.usage.events + count.reports - 1,
            bytes: count.usage.bytes + count.bytes - bytes,
        };
        if self.quotas.reached(most, kind).is_none() {
            return Room::Enough;
        }
        let is_recent = count.at.elapsed() < COUNT_HOLDS
            && count.reports <= self.quotas.objects_per_runtime / COUNTED_PART
            && count.bytes <= self.quotas.bytes() / COUNTED_PART;
        match self.quotas.reached(count.usage, kind) {
            _ if !is_recent => Room::Unknown,
            Some(error) => Room::None(error),
            None => Room::Enough,
        }
    }

    /// Keeps a count; returns the quota that is reached.
    pub fn counted(&self, owner: &Owner, kind: &ObjectKind, usage: Usage) -> Option<QuotaError> {
        let count = Count {
            usage,
            at: Instant::now(),
            reports: 1,
            bytes: 0,
        };
        self.counts().insert(owner.clone(), count);
        self.quotas.reached(usage, kind)
    }

    /// Takes note of a deletion: a runtime that has reached its quota is counted again.
    pub fn note_deletion(&self, owner: &Owner, kind: &ObjectKind) {
        let mut counts = self.counts();
        let reached = |count: &Count| self.quotas.reached(count.usage, kind).is_some();
        if counts.get(owner).is_some_and(reached) {
            counts.remove(owner);
        }
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<Owner, Count>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
