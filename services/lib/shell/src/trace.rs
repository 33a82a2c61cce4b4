//! The trace on its way out of the process, back into it, and into tasks.

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

/// Makes what the peer does a child of the current span. Without tracing, a trace that stands there already goes on.
pub fn inject_trace(headers: &mut HeaderMap) {
    let context = Span::current().context();
    propagator().inject_context(&context, &mut Headers(headers));
}

/// Makes a new span a link between the trace of these headers and the peer that gets them; without a trace they go on as they came.
pub fn forward_trace(span: &Span, headers: &mut HeaderMap) {
    if span.is_disabled() || !headers.contains_key(PARENT_HEADER) {
        return;
    }
    // Nobody traces where the span is disabled, so there is nothing to link.
    let _ = span.set_parent(propagator().extract(&HeaderExtractor(headers)));
    propagator().inject_context(&span.context(), &mut Headers(headers));
}

/// A span as W3C traceparent, to be carried along with something else than headers; nothing where it is not recorded.
#[must_use]
pub fn traceparent(span: &Span) -> Option<String> {
    let mut parent = Parent(None);
    let context = span.context();
    if context.span().span_context().is_sampled() {
        propagator().inject_context(&context, &mut parent);
    }
    parent.0
}

/// Makes a new span go on with the trace that [`traceparent`] gave; what is not one changes nothing.
pub fn continue_trace(span: &Span, traceparent: &str) {
    let parent = Parent(Some(traceparent.to_owned()));
    let context = propagator().extract_with_context(&Context::current(), &parent);
    // Nobody traces where the span is disabled, so there is nothing to link.
    let _ = span.set_parent(context);
}

/// Whether spans that begin here go to a collector. Whoever makes spans for little things asks first.
#[must_use]
pub fn is_sampled() -> bool {
    export() != Export::None && Context::map_current(|here| here.span().span_context().is_sampled())
}

/// Whether a span that goes on with the trace of these headers would go to a collector. Who only carries calls asks first.
#[must_use]
pub fn is_sampled_in(headers: &HeaderMap) -> bool {
    match export() {
        Export::None => false,
        Export::AsTheSamplerSays => true,
        Export::AsTheCallerSays => headers.get(PARENT_HEADER).is_none_or(has_sampled_flag),
    }
}

/// By the lowest bit of the flags, at the end.
fn has_sampled_flag(parent: &HeaderValue) -> bool {
    let last = parent.as_bytes().last().copied().map(char::from);
    last.and_then(|last| last.to_digit(16))
        .is_some_and(|flags| flags % 2 == 1)
}

/// A future for a task of its own, which stays in the trace that it was begun in.
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

/// What a caller's headers tell of its trace.
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
        // An empty tracestate says nothing, and other keys of a propagator do not cross.
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
