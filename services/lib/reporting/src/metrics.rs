//! Figures of a reporter.

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Gauge, Histogram, Meter},
};
use tokio::time::Instant;

use crate::{
    object::ObjectKey, object_cache::ObjectCache, queue::Queue, reported_kind::ReportedKind,
};

/// From a change to its commit: milliseconds where all is well, minutes after an outage.
const SECONDS: [f64; 10] = [0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 15.0, 60.0, 300.0];

/// Counters and gauges under one meter, of one kind of one cluster.
#[derive(Debug, Clone)]
pub struct Metrics {
    of: [KeyValue; 2],
    waiting: Gauge<u64>,
    marked: Gauge<u64>,
    unread: Gauge<u64>,
    sent: Counter<u64>,
    acknowledged: Counter<u64>,
    rejected: Counter<u64>,
    delayed: Gauge<u64>,
    overflows: Counter<u64>,
    lag: Gauge<f64>,
    connected: Gauge<u64>,
    reported: Histogram<f64>,
    quarantined: Counter<u64>,
    operations_lost: Counter<u64>,
}

/// Whether there is a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connection {
    Open,
    None,
}

impl Metrics {
    /// Makes the instruments.
    pub fn new(meter: &Meter, kind: &str, cluster: &str) -> Self {
        let counter = |name: &'static str, what: &'static str| {
            meter.u64_counter(name).with_description(what).build()
        };
        let gauge = |name: &'static str, what: &'static str| {
            meter.u64_gauge(name).with_description(what).build()
        };
        let metrics = Self {
            of: [
                KeyValue::new("kind", kind.to_owned()),
                KeyValue::new("cluster", cluster.to_owned()),
            ],
            waiting: gauge("reporter.queue.waiting", "Objects that wait to be reported"),
            marked: gauge(
                "reporter.queue.marked",
                "Objects that wait for room in the queue",
            ),
            delayed: gauge(
                "reporter.queue.delayed",
                "Objects that were reported too often and wait for their time",
            ),
            overflows: counter(
                "reporter.queue.overflows",
                "How often the queue had no room any more; nothing is lost by it",
            ),
            lag: meter
                .f64_gauge("reporter.lag")
                .with_description("How old the oldest change is that is not committed")
                .with_unit("s")
                .build(),
            connected: gauge(
                "reporter.connected",
                "Whether there is a stream to the inventory: 1 or 0",
            ),
            reported: meter
                .f64_histogram("reporter.report.duration")
                .with_description("How long it took from a change to its commit")
                .with_unit("s")
                .with_boundaries(SECONDS.to_vec())
                .build(),
            unread: gauge("reporter.objects.unread", "Objects that cannot be read"),
            sent: counter("reporter.reports.sent", "Reports that were sent"),
            acknowledged: counter(
                "reporter.reports.acknowledged",
                "Reports that are committed",
            ),
            rejected: counter("reporter.reports.rejected", "Reports that were refused"),
            quarantined: counter(
                "reporter.objects.quarantined",
                "Versions of objects that cannot be read",
            ),
            operations_lost: counter(
                "reporter.operations.lost",
                "Ended operations that were too many to wait until they are recorded",
            ),
        };
        metrics.begin();
        metrics
    }

    /// Whoever counts from the first one on has to know that there was none.
    fn begin(&self) {
        let counters = [
            &self.sent,
            &self.acknowledged,
            &self.rejected,
            &self.quarantined,
            &self.operations_lost,
            &self.overflows,
        ];
        for counter in counters {
            counter.add(0, &self.of);
        }
    }

    pub(crate) fn observe<R: ReportedKind>(
        &self,
        queue: &mut Queue<ObjectKey>,
        cache: &ObjectCache<R>,
    ) {
        self.overflows.add(queue.take_overflows(), &self.of);
        self.waiting.record(queue.waiting() as u64, &self.of);
        self.marked.record(queue.marked() as u64, &self.of);
        self.delayed.record(queue.delayed() as u64, &self.of);
        self.unread.record(cache.in_quarantine() as u64, &self.of);
    }

    pub(crate) fn sent(&self) {
        self.sent.add(1, &self.of);
    }

    /// Records lag and connectivity. Scans the whole queue, so it runs with the heartbeat only.
    pub(crate) fn record_lag(&self, queue: &Queue<ObjectKey>, link: Connection) {
        let age = queue.oldest().map(|oldest| oldest.elapsed());
        self.lag
            .record(age.unwrap_or_default().as_secs_f64(), &self.of);
        let connected = u64::from(link == Connection::Open);
        self.connected.record(connected, &self.of);
    }

    /// Counts a committed report; `changed` is the time of the change.
    pub(crate) fn acknowledged(&self, changed: Option<Instant>) {
        self.acknowledged.add(1, &self.of);
        if let Some(took) = changed.as_ref().map(Instant::elapsed) {
            self.reported.record(took.as_secs_f64(), &self.of);
        }
    }

    pub(crate) fn rejected(&self) {
        self.rejected.add(1, &self.of);
    }

    pub(crate) fn operations_lost(&self, count: usize) {
        if count > 0 {
            self.operations_lost.add(count as u64, &self.of);
        }
    }

    pub(crate) fn quarantined(&self) {
        self.quarantined.add(1, &self.of);
    }
}
