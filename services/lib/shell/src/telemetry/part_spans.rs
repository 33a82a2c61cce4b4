//! Span processor that routes each finished span to the exporter of its part.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use opentelemetry::{Context, KeyValue, trace::Span as _};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{BatchSpanProcessor, Span, SpanData, SpanProcessor},
};

use super::{
    Part,
    export_status::{Collector, MonitoredExporter},
    exporter::span_exporter,
};
use crate::args::{OtlpArgs, Signal};

const PART: &str = "causeway.part";
const SIDE: &str = "causeway.side";

#[derive(Clone, Debug)]
pub(super) struct PartSpans(Option<Arc<Exporters>>);

#[derive(Debug)]
struct Exporters {
    otlp: OtlpArgs,
    collector: Arc<Collector>,
    by_part: RwLock<ByPart>,
}

type ByPart = HashMap<&'static str, Arc<BatchSpanProcessor>>;

impl PartSpans {
    pub(super) fn disabled() -> Self {
        Self(None)
    }

    pub(super) fn exporting(otlp: OtlpArgs) -> Self {
        Self(Some(Arc::new(Exporters {
            collector: Collector::new(&otlp, Signal::Traces),
            otlp,
            by_part: RwLock::default(),
        })))
    }

    /// Adds the exporter of a part. A part that runs on both sides is one service.
    pub(super) fn add(&self, part: &'static str, resource: &Resource) -> anyhow::Result<()> {
        let Some(exporters) = &self.0 else {
            return Ok(());
        };
        let by_part = exporters.by_part.write();
        let mut by_part = by_part.unwrap_or_else(PoisonError::into_inner);
        if by_part.contains_key(part) {
            return Ok(());
        }
        let exporter = span_exporter(&exporters.otlp)?;
        let exporter = MonitoredExporter::new(&exporters.collector, exporter);
        let mut batches = BatchSpanProcessor::builder(exporter).build();
        batches.set_resource(resource);
        by_part.insert(part, Arc::new(batches));
        Ok(())
    }

    /// Returns the processor of the span's part. A span outside of any part goes to one of them instead of being lost.
    fn processor_of(&self, span: &SpanData) -> Option<Arc<BatchSpanProcessor>> {
        let by_part = self.0.as_ref()?.by_part.read();
        let by_part = by_part.unwrap_or_else(PoisonError::into_inner);
        span.attributes
            .iter()
            .find(|attribute| attribute.key.as_str() == PART)
            .and_then(|part| by_part.get(part.value.as_str().as_ref()))
            .or_else(|| by_part.values().next())
            .cloned()
    }

    fn processors(&self) -> Vec<Arc<BatchSpanProcessor>> {
        self.0.as_ref().map_or_else(Vec::new, |exporters| {
            let by_part = exporters.by_part.read();
            let by_part = by_part.unwrap_or_else(PoisonError::into_inner);
            by_part.values().cloned().collect()
        })
    }
}

impl SpanProcessor for PartSpans {
    fn on_start(&self, span: &mut Span, context: &Context) {
        if let Some(Part { name, side }) = context.get::<Part>() {
            span.set_attribute(KeyValue::new(PART, *name));
            span.set_attribute(KeyValue::new(SIDE, side.as_str()));
        }
    }

    fn on_end(&self, span: SpanData) {
        if let Some(batches) = self.processor_of(&span) {
            batches.on_end(span);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.processors()
            .iter()
            .try_for_each(|batches| batches.force_flush())
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.processors()
            .iter()
            .try_for_each(|batches| batches.shutdown_with_timeout(timeout))
    }
}
