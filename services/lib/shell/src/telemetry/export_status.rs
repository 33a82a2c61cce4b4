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

/// Names of the SDK's log events for a failed batch.
const SDK_EXPORT_ERRORS: [&str; 3] = [
    "Export.Failed.",
    "BatchSpanProcessor.ExportError",
    "PeriodicReader.ExportError",
];

/// Returns false for log events of the SDK that [`Collector`] replaces.
pub(super) fn is_not_sdk_export_error(event: &Metadata<'_>) -> bool {
    !SDK_EXPORT_ERRORS
        .iter()
        .any(|name| event.name().starts_with(name))
}

/// Export state of one signal, shared by all its exporters in the process.
#[derive(Debug)]
pub(super) struct Collector {
    signal: &'static str,
    endpoint: String,
    is_failing: AtomicBool,
    /// Number of successfully exported batches.
    successes: AtomicU64,
}

impl Collector {
    pub(super) fn new(otlp: &OtlpArgs, signal: Signal) -> Arc<Self> {
        let endpoint = otlp.endpoint(signal).unwrap_or_default();
        Arc::new(Self {
            signal: signal.name(),
            endpoint: without_credentials(&endpoint),
            is_failing: AtomicBool::new(false),
            successes: AtomicU64::new(0),
        })
    }

    fn successes(&self) -> u64 {
        self.successes.load(Ordering::Acquire)
    }

    /// Records the result of a batch that was sent after `before` successes. A late failure is ignored if another batch has succeeded
    /// since, because the collector is available again.
    fn record(&self, before: u64, result: &OTelSdkResult) {
        let Self {
            signal, endpoint, ..
        } = self;
        match result {
            Ok(()) => {
                self.successes.fetch_add(1, Ordering::AcqRel);
                if self.is_failing.swap(false, Ordering::AcqRel) {
                    tracing::info!(
                        "{signal} are exported again: the collector at {endpoint} accepts them"
                    );
                }
            }
            Err(OTelSdkError::AlreadyShutdown) => {}
            Err(error) => {
                if self.successes() == before && !self.is_failing.swap(true, Ordering::AcqRel) {
                    tracing::warn!(
                        %error,
                        "{signal} are not exported: the collector at {endpoint} does not accept them; logged once per outage"
                    );
                }
            }
        }
    }
}

/// Exporter that records the result of each batch in a [`Collector`].
#[derive(Debug)]
pub(super) struct MonitoredExporter<E> {
    exporter: E,
    collector: Arc<Collector>,
}

impl<E> MonitoredExporter<E> {
    pub(super) fn new(collector: &Arc<Collector>, exporter: E) -> Self {
        Self {
            exporter,
            collector: Arc::clone(collector),
        }
    }
}

impl<E: SpanExporter> SpanExporter for MonitoredExporter<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let before = self.collector.successes();
        let result = self.exporter.export(batch).await;
        self.collector.record(before, &result);
        result
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

impl<E: PushMetricExporter> PushMetricExporter for MonitoredExporter<E> {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        let before = self.collector.successes();
        let result = self.exporter.export(metrics).await;
        self.collector.record(before, &result);
        result
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

/// Removes credentials, path and query of a URL for the log.
fn without_credentials(endpoint: &str) -> String {
    let Some((scheme, rest)) = endpoint.split_once("://") else {
        return endpoint.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = rest[..end].rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}")
}
