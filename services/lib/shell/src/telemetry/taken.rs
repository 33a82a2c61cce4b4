//! Logs export failures once per outage and once on recovery. The per-batch log lines of the SDK are suppressed.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use opentelemetry_sdk::{
    Resource,
    error::{OTelSdkError, OTelSdkResult},
    metrics::{Temporality, data::ResourceMetrics, exporter::PushMetricExporter},
    trace::{SpanData, SpanExporter},
};
use tracing::Metadata;

use crate::args::{OtlpArgs, Signal};

/// Names of what the SDK says of a batch that was not taken.
const OF_THE_SDK: [&str; 3] = [
    "Export.Failed.",
    "BatchSpanProcessor.ExportError",
    "PeriodicReader.ExportError",
];

/// Whether a line of the log may be there for all that is told here.
pub(super) fn is_not_told_here(of: &Metadata<'_>) -> bool {
    !OF_THE_SDK.iter().any(|name| of.name().starts_with(name))
}

/// One for all exporters of a signal of the process.
#[derive(Debug)]
pub(super) struct Collector {
    signal: &'static str,
    endpoint: String,
    away: AtomicBool,
    /// How many batches it has taken.
    taken: AtomicU64,
}

impl Collector {
    pub(super) fn new(otlp: &OtlpArgs, signal: Signal) -> Arc<Self> {
        let endpoint = otlp.endpoint(signal).unwrap_or_default();
        Arc::new(Self {
            signal: signal.name(),
            endpoint: without_user(&endpoint),
            away: AtomicBool::new(false),
            taken: AtomicU64::new(0),
        })
    }

    fn taken(&self) -> u64 {
        self.taken.load(Ordering::Acquire)
    }

    /// Of a batch that was sent when `before` had been taken: what ends late says nothing of a collector that has come back since.
    fn ended(&self, before: u64, end: &OTelSdkResult) {
        let Self {
            signal, endpoint, ..
        } = self;
        match end {
            Ok(()) => {
                self.taken.fetch_add(1, Ordering::AcqRel);
                if self.away.swap(false, Ordering::AcqRel) {
                    tracing::info!(
                        "{signal} are exported again: the collector at {endpoint} takes them"
                    );
                }
            }
            Err(OTelSdkError::AlreadyShutdown) => {}
            Err(error) => {
                if self.taken() == before && !self.away.swap(true, Ordering::AcqRel) {
                    tracing::warn!(
                        %error,
                        "{signal} are not exported: the collector at {endpoint} does not take them; this is said once until it does"
                    );
                }
            }
        }
    }
}

/// An exporter that tells a [`Collector`] how each batch has ended.
#[derive(Debug)]
pub(super) struct Taken<E> {
    exporter: E,
    by: Arc<Collector>,
}

impl<E> Taken<E> {
    pub(super) fn by(collector: &Arc<Collector>, exporter: E) -> Self {
        Self {
            exporter,
            by: Arc::clone(collector),
        }
    }
}

impl<E: SpanExporter> SpanExporter for Taken<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let before = self.by.taken();
        let end = self.exporter.export(batch).await;
        self.by.ended(before, &end);
        end
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

impl<E: PushMetricExporter> PushMetricExporter for Taken<E> {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        let before = self.by.taken();
        let end = self.exporter.export(metrics).await;
        self.by.ended(before, &end);
        end
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn temporality(&self) -> Temporality {
        self.exporter.temporality()
    }
}

/// A URL as it may stand in a log.
fn without_user(endpoint: &str) -> String {
    let Some((scheme, rest)) = endpoint.split_once("://") else {
        return endpoint.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = rest[..end].rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}")
}
