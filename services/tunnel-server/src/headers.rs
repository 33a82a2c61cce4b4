//! Request headers of the tunnel hop.

use std::time::Duration;

use causeway_relay::headers::{ASSERTION, GRPC_TIMEOUT, ROUTE, remove_hop_by_hop, route_name};
use http::header::{self, HeaderMap};

/// Rewrites a caller's headers for the tunnel hop.
pub(crate) fn prepare(headers: &mut HeaderMap) {
    remove_hop_by_hop(headers);
    headers.remove(ASSERTION);
    if let Some(assertion) = headers.remove(header::AUTHORIZATION) {
        headers.insert(ASSERTION, assertion);
    }
}

/// Checks the requested route; an error returns the start of the invalid name.
pub(crate) fn check_route(headers: &HeaderMap) -> Result<(), String> {
    if route_name(headers).is_some() {
        return Ok(());
    }
    let text = headers.get(ROUTE).and_then(|value| value.to_str().ok());
    Err(text.unwrap_or_default().chars().take(63).collect())
}

/// The caller's deadline. An invalid one counts as none: the runtime's side rejects it.
pub(crate) fn timeout(headers: &HeaderMap) -> Option<Duration> {
    causeway_shell::parse_grpc_timeout(headers.get(GRPC_TIMEOUT)?.to_str().ok()?)
}
