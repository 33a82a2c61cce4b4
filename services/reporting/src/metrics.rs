//! Figures of a reporter.

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Gauge, Meter},
};

use crate::{book::Book, object::ObjectKey, queue::Queue, reported::Reported};

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
    quarantined: Counter<u64>,
    operations_lost: Counter<u64>,
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
        Self {
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
        }
    }

    pub(crate) fn observe<R: Reported>(&self, queue: &Queue<ObjectKey>, book: &Book<R>) {
        self.waiting.record(queue.waiting() as u64, &self.of);
        self.marked.record(queue.marked() as u64, &self.of);
        self.delayed.record(queue.delayed() as u64, &self.of);
        self.unread.record(book.in_quarantine() as u64, &self.of);
    }

    pub(crate) fn sent(&self) {
        self.sent.add(1, &self.of);
    }

    pub(crate) fn acknowledged(&self) {
        self.acknowledged.add(1, &self.of);
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
