//! The trace that a call belongs to.

use causeway_shell::propagator;
use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::propagation::{Injector, TextMapPropagator as _};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// Makes an upstream's span a child of the current one. Without tracing the caller's own header goes on.
pub(crate) fn inject(headers: &mut HeaderMap) {
    let context = tracing::Span::current().context();
    propagator().inject_context(&context, &mut Headers(headers));
}

/// The trace id in `traceparent`, 32 hex digits.
pub(crate) fn id(headers: &HeaderMap) -> Option<String> {
    let parent = headers.get("traceparent")?.to_str().ok()?;
    let id = parent.split('-').nth(1)?;
    let valid = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    valid.then(|| id.to_owned())
}

struct Headers<'a>(&'a mut HeaderMap);

impl Injector for Headers<'_> {
    fn set(&mut self, key: &str, value: String) {
        // Baggage and other keys of a propagator do not cross.
        let listed = matches!(key, "traceparent" | "tracestate");
        if let (true, Ok(name), Ok(value)) = (
            listed,
            HeaderName::try_from(key),
            HeaderValue::try_from(value),
        ) {
            self.0.insert(name, value);
        }
    }
}
