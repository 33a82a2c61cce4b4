//! JSON log format with trace and span id.

use std::fmt;

use opentelemetry::{
    Context,
    trace::{SpanContext, TraceContextExt as _},
};
use tracing::{Event, Subscriber};
use tracing_subscriber::{
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    registry::LookupSpan,
};

const END: &str = "}\n";

/// Returns the current span context, if valid.
pub(super) fn current_span_context() -> Option<SpanContext> {
    let span = Context::map_current(|context| context.span().span_context().clone());
    span.is_valid().then_some(span)
}

/// JSON format to whose objects `trace_id` and `span_id` are added.
pub(super) struct JsonWithTrace<F>(pub(super) F);

impl<S, N, F> FormatEvent<S, N> for JsonWithTrace<F>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    N: for<'writer> FormatFields<'writer> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Some(span) = current_span_context() else {
            return self.0.format_event(context, writer, event);
        };
        let mut line = String::new();
        let inner = Writer::new(&mut line);
        self.0.format_event(context, inner, event)?;
        let Some(open) = line.strip_suffix(END) else {
            return writer.write_str(&line);
        };
        let (trace, span) = (span.trace_id(), span.span_id());
        write!(
            writer,
            r#"{open},"trace_id":"{trace}","span_id":"{span}"{END}"#
        )
    }
}
