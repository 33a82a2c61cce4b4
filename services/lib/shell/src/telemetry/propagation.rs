//! Trace propagation between processes: W3C trace context, or none by `OTEL_PROPAGATORS`.

use std::{str::FromStr, sync::OnceLock};

use opentelemetry::{
    Context,
    propagation::{Extractor, Injector, TextMapPropagator, text_map_propagator::FieldIter},
};
use opentelemetry_sdk::propagation::TraceContextPropagator;

/// Settings of the process, set at its start.
static TRACING: OnceLock<Tracing> = OnceLock::new();

/// Trace settings.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Tracing {
    pub(crate) propagation: Propagation,
    pub(crate) export: Export,
}

/// Selection of the spans that are exported.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Export {
    #[default]
    None,
    /// The caller's sampling decision; the sampler decides for new traces.
    CallerDecides,
    /// The sampler decides, regardless of the caller.
    SamplerDecides,
}

/// Propagation of traces to other processes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Propagation {
    /// Headers `traceparent` and `tracestate`.
    #[default]
    TraceContext,
    /// Each process starts its own traces.
    None,
}

pub(super) fn set(tracing: Tracing) {
    // Only tests start telemetry twice in a process, and none of them sets this.
    let _ = TRACING.set(tracing);
}

pub(crate) fn export() -> Export {
    tracing().export
}

fn tracing() -> Tracing {
    TRACING.get().copied().unwrap_or_default()
}

/// Returns the propagator of servers and clients.
pub(crate) fn propagator() -> Propagation {
    tracing().propagation
}

impl FromStr for Propagation {
    type Err = String;

    /// Parses `OTEL_PROPAGATORS`. Baggage is accepted beside `tracecontext`, the common default, but has no effect.
    fn from_str(text: &str) -> Result<Self, String> {
        let names = || text.split(',').map(str::trim).filter(|it| !it.is_empty());
        let unknown = names().find(|it| !["tracecontext", "baggage", "none"].contains(it));
        if let Some(unknown) = unknown {
            return Err(format!(
                "`{unknown}` is not supported: use tracecontext, or none"
            ));
        }
        Ok(if names().any(|it| it == "none") {
            Self::None
        } else {
            Self::TraceContext
        })
    }
}

impl TextMapPropagator for Propagation {
    fn inject_context(&self, context: &Context, injector: &mut dyn Injector) {
        if *self == Self::TraceContext {
            TraceContextPropagator::new().inject_context(context, injector);
        }
    }

    fn extract_with_context(&self, context: &Context, extractor: &dyn Extractor) -> Context {
        match self {
            Self::TraceContext => {
                TraceContextPropagator::new().extract_with_context(context, extractor)
            }
            Self::None => context.clone(),
        }
    }

    fn fields(&self) -> FieldIter<'_> {
        FieldIter::new(&[])
    }
}
