//! One span per forwarded call, linked into the caller's trace.

use std::fmt;

use http::{HeaderMap, Request};
use tracing::{Span, field};

use crate::headers::route_name;

/// Opens a span and writes its context into the request. Without a recorded trace the request
/// passes unchanged.
pub fn forward_span<B>(
    request: &mut Request<B>,
    part: &'static str,
    runtime: Option<&str>,
) -> Span {
    if !causeway_shell::is_sampled_in(request.headers()) {
        return Span::none();
    }
    let span = tracing::info_span!(
        "forward",
        causeway.part = part,
        otel.kind = "client",
        otel.status_code = field::Empty,
        rpc.system = "grpc",
        rpc.method = request.uri().path().trim_start_matches('/'),
        route = route_name(request.headers()).unwrap_or_default(),
        runtime = runtime,
        rpc.grpc.status_code = field::Empty,
        error = field::Empty,
    );
    causeway_shell::forward_trace(&span, request.headers_mut());
    span
}

/// Records the gRPC status where these headers or trailers have one.
pub fn record_status(span: &Span, headers: &HeaderMap) {
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

/// Records that the call failed in this process.
pub fn record_failure(span: &Span, error: &impl fmt::Display) {
    span.record("error", field::display(error));
    span.record("otel.status_code", "ERROR");
}
