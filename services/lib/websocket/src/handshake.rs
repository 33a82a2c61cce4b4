//! What both halves of the upgrade know of its head.

use aws_lc_rs::digest;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{HeaderMap, HeaderName};

/// The WebSocket subprotocol of the tunnel: HTTP/2 with the roles turned round, version 1.
pub const SUBPROTOCOL: &str = "h2.tunnel.v1";

/// A head is refused above these.
pub(crate) const HEAD_BYTES: usize = 16 * 1024;
pub(crate) const HEADERS: usize = 64;

/// RFC 6455 section 1.3: what both ends append to the key.
const ACCEPT_SUFFIX: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

pub(crate) fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

pub(crate) fn has_token(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    let values = headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .any(|value| value.trim().eq_ignore_ascii_case(token))
}

pub(crate) fn accept_key(key: &str) -> String {
    let mut context = digest::Context::new(&digest::SHA1_FOR_LEGACY_USE_ONLY);
    context.update(key.as_bytes());
    context.update(ACCEPT_SUFFIX);
    STANDARD.encode(context.finish())
}

/// A key as the dialling half makes it: 16 random bytes.
pub(crate) fn new_key() -> String {
    STANDARD.encode(rand::random::<[u8; 16]>())
}
