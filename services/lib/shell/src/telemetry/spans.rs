//! Sends each finished span to the exporter of the part that it ran in.

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
    exporter::span_exporter,
    taken::{Collector, Taken},
};
use crate::args::{OtlpArgs, Signal};

const PART: &str = "causeway.part";
const SIDE: &str = "causeway.side";

#[derive(Clone, Debug)]
pub(super) struct SpansByPart(Option<Arc<Exporting>>);

#[derive(Debug)]
struct Exporting {
    to: OtlpArgs,
    collector: Arc<Collector>,
    exporters: RwLock<Exporters>,
}

type Exporters = HashMap<&'static str, Arc<BatchSpanProcessor>>;

impl SpansByPart {
    pub(super) fn off() -> Self {
        Self(None)
    }

    pub(super) fn exporting(to: OtlpArgs) -> Self {
        Self(Some(Arc::new(Exporting {
            collector: Collector::new(&to, Signal::Traces),
            to,
            exporters: RwLock::default(),
        })))
    }

    /// A part that runs on two sides is one service.
    pub(super) fn add(&self, part: &'static str, resource: &Resource) -> anyhow::Result<()> {
        let Some(exporting) = &self.0 else {
            return Ok(());
        };
        let exporters = exporting.exporters.write();
        let mut exporters = exporters.unwrap_or_else(PoisonError::into_inner);
        if exporters.contains_key(part) {
            return Ok(());
        }
        let exporter = Taken::by(&exporting.collector, span_exporter(&exporting.to)?);
        let mut batches = BatchSpanProcessor::builder(exporter).build();
        batches.set_resource(resource);
        exporters.insert(part, Arc::new(batches));
        Ok(())
    }

    fn of(&self, span: &SpanData) -> Option<Arc<BatchSpanProcessor>> {
        let exporters = self.0.as_ref()?.exporters.read();
        let exporters = exporters.unwrap_or_else(PoisonError::into_inner);
        span.attributes
            .iter()
            .find(|attribute| attribute.key.as_str() == PART)
            .and_then(|part| exporters.get(part.value.as_str().as_ref()))
            .or_else(|| exporters.values().next())
            .cloned()
    }

    fn all(&self) -> Vec<Arc<BatchSpanProcessor>> {
        self.0.as_ref().map_or_else(Vec::new, |exporting| {
            let exporters = exporting.exporters.read();
            let exporters = exporters.unwrap_or_else(PoisonError::into_inner);
            exporters.values().cloned().collect()
        })
    }
}

impl SpanProcessor for SpansByPart {
    fn on_start(&self, span: &mut Span, context: &Context) {
        if let Some(Part { name, side }) = context.get::<Part>() {
            span.set_attribute(KeyValue::new(PART, *name));
            span.set_attribute(KeyValue::new(SIDE, side.as_str()));
        }
    }

    fn on_end(&self, span: SpanData) {
        if let Some(batches) = self.of(&span) {
            batches.on_end(span);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.all()
            .iter()
            .try_for_each(|batches| batches.force_flush())
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.all()
            .iter()
            .try_for_each(|batches| batches.shutdown_with_timeout(timeout))
    }
}
