//! The trace on its way out.

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::propagation::{Injector, TextMapPropagator as _};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::propagator;

/// Makes what the peer does a child of the current span. Without tracing, a trace that stands there already goes on.
pub fn inject_trace(headers: &mut HeaderMap) {
    let context = tracing::Span::current().context();
    propagator().inject_context(&context, &mut Headers(headers));
}

struct Headers<'a>(&'a mut HeaderMap);

impl Injector for Headers<'_> {
    fn set(&mut self, key: &str, value: String) {
        // An empty tracestate says nothing, and other keys of a propagator do not cross.
        let listed = key == "traceparent" || (key == "tracestate" && !value.is_empty());
        if let (true, Ok(name), Ok(value)) = (
            listed,
            HeaderName::try_from(key),
            HeaderValue::try_from(value),
        ) {
            self.0.insert(name, value);
        }
    }
}
