//! How a trace goes from process to process: W3C trace context, unless `OTEL_PROPAGATORS` says that it does not.

use std::{str::FromStr, sync::OnceLock};

use opentelemetry::{
    Context,
    propagation::{Extractor, Injector, TextMapPropagator, text_map_propagator::FieldIter},
};
use opentelemetry_sdk::propagation::TraceContextPropagator;

/// Of the process, once it is started.
static TRACING: OnceLock<Tracing> = OnceLock::new();

/// What is done with traces here.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Tracing {
    pub(crate) propagation: Propagation,
    /// Whether spans go to a collector.
    pub(crate) export: Export,
}

/// Which spans go to a collector.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Export {
    #[default]
    None,
    /// Those whose callers say so, and some of those that begin here.
    AsTheCallerSays,
    /// Whatever callers say.
    AsTheSamplerSays,
}

/// Whether traces go on beyond the process.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Propagation {
    /// By `traceparent` and `tracestate`.
    #[default]
    TraceContext,
    /// Each process begins traces of its own and tells nobody of them.
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

/// What the server side takes from headers and every client puts into them.
pub(crate) fn propagator() -> Propagation {
    tracing().propagation
}

impl FromStr for Propagation {
    type Err = String;

    /// Reads the list of `OTEL_PROPAGATORS`. Baggage is not carried by anything here, and is no mistake beside `tracecontext`.
    fn from_str(text: &str) -> Result<Self, String> {
        let names = || text.split(',').map(str::trim).filter(|it| !it.is_empty());
        let strange = names().find(|it| !["tracecontext", "baggage", "none"].contains(it));
        if let Some(strange) = strange {
            return Err(format!(
                "`{strange}` is not spoken: use tracecontext, or none"
            ));
        }
        Ok(match names().any(|it| it == "none") {
            true => Self::None,
            false => Self::TraceContext,
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
