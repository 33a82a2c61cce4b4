//! The trace of a change, to be carried along with its report.

use std::collections::HashMap;

use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The span as W3C traceparent; empty where nothing is traced.
pub(crate) fn parent(span: &Span) -> String {
    let mut carrier = HashMap::new();
    opentelemetry::global::get_text_map_propagator(|propagator| {
        propagator.inject_context(&span.context(), &mut carrier);
    });
    carrier.remove("traceparent").unwrap_or_default()
}
