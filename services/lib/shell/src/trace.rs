//! Trace context propagation: headers, stored traceparents and spawned tasks.

use std::future::Future;

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::{
    Context,
    context::FutureExt as _,
    propagation::{Extractor, Injector, TextMapPropagator as _},
    trace::TraceContextExt as _,
};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::telemetry::{Export, export, propagator};

const PARENT: &str = "traceparent";
const PARENT_HEADER: HeaderName = HeaderName::from_static(PARENT);
const STATE_HEADER: HeaderName = HeaderName::from_static("tracestate");

/// Writes the current span into outgoing headers. Without tracing, an existing trace context stays unchanged.
pub fn inject_trace(headers: &mut HeaderMap) {
    let context = Span::current().context();
    propagator().inject_context(&context, &mut Headers(headers));
}

/// Inserts a span between the incoming trace and the next hop. Headers without a trace stay unchanged.
pub fn forward_trace(span: &Span, headers: &mut HeaderMap) {
    if span.is_disabled() || !headers.contains_key(PARENT_HEADER) {
        return;
    }
    // Fails only for a disabled span, which needs no parent.
    let _ = span.set_parent(propagator().extract(&HeaderExtractor(headers)));
    propagator().inject_context(&span.context(), &mut Headers(headers));
}

/// Returns the span as W3C traceparent, for transport outside of headers; none if it is not sampled.
#[must_use]
pub fn traceparent(span: &Span) -> Option<String> {
    let mut parent = Parent(None);
    let context = span.context();
    if context.span().span_context().is_sampled() {
        propagator().inject_context(&context, &mut parent);
    }
    parent.0
}

/// Sets a stored [`traceparent`] as the parent of a span. Invalid text is ignored.
pub fn continue_trace(span: &Span, traceparent: &str) {
    let parent = Parent(Some(traceparent.to_owned()));
    let context = propagator().extract_with_context(&Context::current(), &parent);
    // Fails only for a disabled span, which needs no parent.
    let _ = span.set_parent(context);
}

/// Returns true if new spans are exported. Check it before creating many small spans.
#[must_use]
pub fn is_sampled() -> bool {
    export() != Export::None
        && Context::map_current(|context| context.span().span_context().is_sampled())
}

/// Returns true if a span with these headers as parent would be exported.
#[must_use]
pub fn is_sampled_in(headers: &HeaderMap) -> bool {
    match export() {
        Export::None => false,
        Export::SamplerDecides => true,
        Export::CallerDecides => headers.get(PARENT_HEADER).is_none_or(has_sampled_flag),
    }
}

/// Reads the sampled flag: the lowest bit of the trailing flags.
fn has_sampled_flag(parent: &HeaderValue) -> bool {
    let last = parent.as_bytes().last().copied().map(char::from);
    last.and_then(|last| last.to_digit(16))
        .is_some_and(|flags| flags % 2 == 1)
}

/// Attaches the current trace to a future before it is spawned as a task.
pub fn with_current_trace<F: Future>(future: F) -> impl Future<Output = F::Output> {
    future.with_context(Context::current())
}

struct Parent(Option<String>);

impl Injector for Parent {
    fn set(&mut self, key: &str, value: String) {
        if key == PARENT {
            self.0 = Some(value);
        }
    }
}

impl Extractor for Parent {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.as_deref().filter(|_| key == PARENT)
    }

    fn keys(&self) -> Vec<&str> {
        vec![PARENT]
    }
}

/// Reads trace context from headers.
pub(crate) struct HeaderExtractor<'a>(pub(crate) &'a HeaderMap);

impl Extractor for HeaderExtractor<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

struct Headers<'a>(&'a mut HeaderMap);

impl Injector for Headers<'_> {
    fn set(&mut self, key: &str, value: String) {
        // An empty tracestate has no meaning, and other keys are not propagated.
        let name = match key {
            PARENT => PARENT_HEADER,
            "tracestate" if !value.is_empty() => STATE_HEADER,
            _ => return,
        };
        if let Ok(value) = HeaderValue::try_from(value) {
            self.0.insert(name, value);
        }
    }
}
