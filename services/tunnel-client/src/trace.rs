//! One span per forwarded call, a link in the caller's trace. Costs nothing where that is not
//! recorded: then the head goes on as it came.

use http::{HeaderMap, Request};
use tracing::{Span, field};

use crate::failure::ForwardError;
use crate::head;

/// A span for the call, with its place in the trace written into the head.
pub(crate) fn span<B>(request: &mut Request<B>) -> Span {
    if !causeway_shell::is_sampled_in(request.headers()) {
        return Span::none();
    }
    let span = tracing::info_span!(
        "forward",
        causeway.part = "tunnel-client",
        otel.kind = "client",
        otel.status_code = field::Empty,
        rpc.system = "grpc",
        rpc.method = request.uri().path().trim_start_matches('/'),
        route = head::route(request.headers()),
        rpc.grpc.status_code = field::Empty,
        error = field::Empty,
    );
    causeway_shell::forward_trace(&span, request.headers_mut());
    span
}

/// Writes down how the call ended, where its head or its trailers say so.
pub(crate) fn record_status(span: &Span, headers: &HeaderMap) {
    if !span.is_disabled()
        && let Some(status) = headers.get("grpc-status")
    {
        let status = status.to_str().unwrap_or_default();
        span.record("rpc.grpc.status_code", status);
        if status != "0" {
            span.record("otel.status_code", "ERROR");
        }
    }
}

/// Writes down that the call failed here.
pub(crate) fn record_failure(span: &Span, error: &ForwardError) {
    span.record("error", field::display(error));
    span.record("otel.status_code", "ERROR");
}
