//! Background garbage collection and history compaction, in small batches, so that reports never wait long.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use causeway_proto::time::to_millis;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{
    event,
    history::retention::RetentionRules,
    quota::{HistoryExcess, Quotas},
    store::{Garbage, Outcome, Store, StoreError, Write},
};

const INTERVAL: Duration = Duration::from_secs(3600);
/// Pause after a batch, as a multiple of its duration: most of the time belongs to other writes.
const REST_FACTOR: u32 = 4;
/// Age of tombstones; watch cursors are valid as long.
const TOMBSTONE_AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Manifests outlive the history entries that reference them, since compaction runs after garbage collection.
const MANIFEST_GRACE: Duration = Duration::from_secs(24 * 3600);

/// Retention of histories.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RetentionPeriods {
    /// Age of the oldest entry.
    pub(crate) retention: Duration,
    /// Age up to which every entry is kept.
    pub(crate) full: Duration,
}

/// Minimum age of garbage, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GarbageAges {
    pub(crate) tombstones: Duration,
    /// Since the last report of an event.
    pub(crate) events: Duration,
    pub(crate) unused_manifests: Duration,
    pub(crate) deployments: Duration,
}

impl GarbageAges {
    /// All kinds in the order of their collection: manifests are marked before they are swept.
    pub(crate) fn kinds(self) -> [(Garbage, Duration); 6] {
        [
            (Garbage::Applications, self.tombstones),
            (Garbage::Resources, self.tombstones),
            (Garbage::Events, self.events),
            (Garbage::Deployments, self.deployments),
            (Garbage::UnreferencedManifests(0), self.unused_manifests),
            (Garbage::UnusedManifests, self.unused_manifests),
        ]
    }
}

impl RetentionPeriods {
    fn garbage_ages(self) -> GarbageAges {
        GarbageAges {
            tombstones: TOMBSTONE_AGE,
            events: event::KEPT_FOR,
            unused_manifests: self.retention + MANIFEST_GRACE,
            deployments: self.retention,
        }
    }

    fn rules(self) -> RetentionRules {
        let millis = |age: Duration| i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let now = to_millis(SystemTime::now());
        RetentionRules::new(now, millis(self.retention), millis(self.full))
    }
}

/// Runs every hour until it is stopped.
pub(crate) async fn run(
    store: Arc<dyn Store>,
    periods: RetentionPeriods,
    quotas: Quotas,
    stop: CancellationToken,
) {
    loop {
        let work = async {
            run_once(&*store, periods.garbage_ages(), periods.rules()).await;
            if let Err(error) = cut_histories(&*store, quotas, periods.rules()).await {
                tracing::warn!(%error, "histories beyond their quota are kept; retrying in an hour");
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = work => {}
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = sleep(INTERVAL) => {}
        }
    }
}

/// Collects and compacts once. A failure of one kind does not stop the others.
pub(crate) async fn run_once(store: &dyn Store, ages: GarbageAges, rules: RetentionRules) {
    for (garbage, age) in ages.kinds() {
        if let Err(error) = collect(store, garbage, age).await {
            tracing::warn!(?garbage, %error, "garbage collection failed; retrying in an hour");
        }
    }
    if let Err(error) = compact(store, rules).await {
        tracing::warn!(%error, "compaction of histories failed; retrying in an hour");
    }
}

/// Collects all garbage of a kind; returns the number of removed rows.
pub(crate) async fn collect(
    store: &dyn Store,
    garbage: Garbage,
    age: Duration,
) -> Result<u64, StoreError> {
    let (mut total, mut next) = (0, Some(garbage));
    while let Some(garbage) = next {
        let begun = Instant::now();
        let outcome = store.submit(Write::Collect(garbage, age)).await?.await?;
        (total, next) = match outcome {
            Outcome::Collected { count, next } => (total + count, next),
            Outcome::Stored
            | Outcome::Superseded
            | Outcome::Missing(_)
            | Outcome::Epoch(_)
            | Outcome::Compacted { .. } => (total, None),
        };
        if next.is_some() {
            sleep(REST_FACTOR * begun.elapsed()).await;
        }
    }
    Ok(total)
}

/// Deletes the oldest entries of runtimes with more than their quota. The last state of each application stays.
pub(crate) async fn cut_histories(
    store: &dyn Store,
    quotas: Quotas,
    rules: RetentionRules,
) -> Result<(), StoreError> {
    let excess = store.reads().history_excess(quotas.history_per_runtime);
    for HistoryExcess { owner, until } in excess.await? {
        let runtime = &owner.1;
        tracing::warn!(%runtime, "the runtime has more history than its quota; the oldest is deleted");
        let rules = RetentionRules {
            from: rules.from.max(until),
            ..rules
        };
        compact_with(store, |after| {
            Write::CompactRuntime(owner.clone(), rules, after)
        })
        .await?;
    }
    Ok(())
}

/// Compacts all histories.
pub(crate) async fn compact(store: &dyn Store, rules: RetentionRules) -> Result<(), StoreError> {
    compact_with(store, |after| Write::Compact(rules, after)).await
}

async fn compact_with(
    store: &dyn Store,
    write_after: impl Fn(i64) -> Write,
) -> Result<(), StoreError> {
    let mut next = Some(0);
    while let Some(after) = next {
        let begun = Instant::now();
        next = match store.submit(write_after(after)).await?.await? {
            Outcome::Compacted { next } => next,
            Outcome::Stored
            | Outcome::Superseded
            | Outcome::Missing(_)
            | Outcome::Epoch(_)
            | Outcome::Collected { .. } => None,
        };
        if next.is_some() {
            sleep(REST_FACTOR * begun.elapsed()).await;
        }
    }
    Ok(())
}
