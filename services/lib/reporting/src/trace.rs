//! Trace context of a report. A change during an operation belongs to the trace of that operation.

use tracing::Span;

use crate::{
    object_cache::Entry,
    reported_kind::{OperationTrace, ReportedKind, Stage},
};

/// So long is what W3C calls a traceparent at most, and then some.
const LONGEST: usize = 64;

/// The trace of what is being done to an object, as W3C traceparent.
pub(crate) fn of_operation<'a, R: ReportedKind>(
    entry: &Entry<R>,
    object: Option<&'a R::Object>,
) -> Option<&'a str> {
    let OperationTrace { parent, stage } = R::trace(object?)?;
    let untold = stage == Stage::UnderWay || entry.operations.has_own();
    (untold && parent.len() <= LONGEST).then_some(parent)
}

/// Puts a span into the trace of an operation, if there is one, and gives what goes along with what the span is of.
pub(crate) fn joined(span: &Span, operation: Option<&str>) -> String {
    if let Some(operation) = operation {
        causeway_shell::continue_trace(span, operation);
    }
    let own = causeway_shell::traceparent(span);
    // Where this process traces nothing the trace goes on all the same.
    let passed = operation.filter(|_| span.is_disabled()).map(str::to_owned);
    own.or(passed).unwrap_or_default()
}
