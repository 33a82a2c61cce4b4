//! Constants and checks that both ends of the handshake share.

use http::header::{self, HeaderMap};

/// Subprotocol of the tunnel: HTTP/2 with client and server exchanged, version 1.
pub const SUBPROTOCOL: &str = "h2.tunnel.v1";

/// Maximum size of a request head, in bytes.
pub(crate) const HEAD_BYTES: usize = 16 * 1024;
/// Maximum number of headers in a request head.
pub(crate) const HEADERS: usize = 64;

/// True when one of the offered subprotocols is ours.
pub(crate) fn offers_subprotocol(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|offered| offered.trim() == SUBPROTOCOL)
}
