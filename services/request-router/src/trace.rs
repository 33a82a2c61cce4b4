//! The trace that a call belongs to.

use http::HeaderMap;

/// The trace id in `traceparent`, 32 hex digits.
pub(crate) fn id(headers: &HeaderMap) -> Option<String> {
    let parent = headers.get("traceparent")?.to_str().ok()?;
    let id = parent.split('-').nth(1)?;
    let valid = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    valid.then(|| id.to_owned())
}
