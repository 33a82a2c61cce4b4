//! Figures of a reporter.

use opentelemetry::metrics::{Counter, Gauge, Meter};

use crate::{book::Book, object::ObjectKey, queue::Queue};

/// Counters and gauges under one meter.
#[derive(Debug, Clone)]
pub struct Metrics {
    waiting: Gauge<u64>,
    marked: Gauge<u64>,
    unread: Gauge<u64>,
    sent: Counter<u64>,
    acknowledged: Counter<u64>,
    rejected: Counter<u64>,
    quarantined: Counter<u64>,
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
            waiting: gauge("reporter.queue.waiting", "Objects that wait to be reported"),
            marked: gauge(
                "reporter.queue.marked",
                "Objects that wait for room in the queue",
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
        }
    }

    pub(crate) fn observe(&self, queue: &Queue<ObjectKey>, book: &Book) {
        self.waiting.record(queue.waiting() as u64, &[]);
        self.marked.record(queue.marked() as u64, &[]);
        self.unread.record(book.in_quarantine() as u64, &[]);
    }

    pub(crate) fn sent(&self) {
        self.sent.add(1, &[]);
    }

    pub(crate) fn acknowledged(&self) {
        self.acknowledged.add(1, &[]);
    }

    pub(crate) fn rejected(&self) {
        self.rejected.add(1, &[]);
    }

    pub(crate) fn quarantined(&self) {
        self.quarantined.add(1, &[]);
    }
}
