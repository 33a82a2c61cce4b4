//! Figures of the inventory.

use std::time::Duration;

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Gauge, Histogram, Meter, MeterProvider as _, noop::NoopMeterProvider},
};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::inventory::Inventory;

/// How old what `observe` tells may be.
const EVERY: Duration = Duration::from_secs(10);
/// Of a commit: an fsync takes from a fraction of a millisecond to a second.
const SECONDS: [f64; 11] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0,
];

/// Instruments under one meter.
#[derive(Debug, Clone)]
pub struct Metrics {
    reports: Counter<u64>,
    commits: Histogram<f64>,
    writes: Counter<u64>,
    held: Gauge<u64>,
    sessions: Gauge<u64>,
    watches: Gauge<u64>,
    queued: Gauge<u64>,
}

/// Result of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportResult {
    Kept,
    Superseded,
    /// Manifests are missing; it is counted again when they are there.
    Waiting,
    Rejected,
}

impl ReportResult {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Superseded => "superseded",
            Self::Waiting => "waiting",
            Self::Rejected => "rejected",
        }
    }
}

impl Metrics {
    /// Makes the instruments.
    pub fn new(meter: &Meter) -> Self {
        let counter = |name: &'static str, what: &'static str| {
            meter.u64_counter(name).with_description(what).build()
        };
        let gauge = |name: &'static str, what: &'static str| {
            meter.u64_gauge(name).with_description(what).build()
        };
        Self {
            reports: counter("inventory.reports", "Reports by what became of them"),
            commits: meter
                .f64_histogram("inventory.store.commit.duration")
                .with_description("How long a commit took, whatever went into it together")
                .with_unit("s")
                .with_boundaries(SECONDS.to_vec())
                .build(),
            writes: counter("inventory.store.writes", "Writes that were committed"),
            held: gauge("inventory.objects.held", "Live objects of all accounts"),
            sessions: gauge("inventory.report.sessions", "Open streams of reporters"),
            watches: gauge("inventory.watches", "Open watches of users"),
            queued: gauge(
                "inventory.store.queued",
                "Writes that wait for a commit to begin",
            ),
        }
    }

    /// Instruments without an exporter.
    pub fn unread() -> Self {
        Self::new(&NoopMeterProvider::new().meter("inventory"))
    }

    pub(crate) fn reported(&self, what: ReportResult) {
        let outcome = KeyValue::new("outcome", what.as_str());
        self.reports.add(1, &[outcome]);
    }

    pub(crate) fn committed(&self, writes: usize, took: Duration) {
        self.writes.add(writes as u64, &[]);
        self.commits.record(took.as_secs_f64(), &[]);
    }

    /// Tells again and again what there is, until `stop`.
    pub(crate) async fn observe(self, inventory: Inventory, stop: CancellationToken) {
        loop {
            self.sessions
                .record(inventory.members().count() as u64, &[]);
            let store = inventory.store();
            self.watches
                .record(store.reads().commits().subscriber_count() as u64, &[]);
            self.queued.record(store.queued() as u64, &[]);
            match store.reads().count_live().await {
                Ok(live) => self.held.record(live, &[]),
                Err(error) => tracing::debug!(%error, "objects cannot be counted"),
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = sleep(EVERY) => {}
            }
        }
    }
}
