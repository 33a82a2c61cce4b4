//! Times as Kubernetes writes them.

use jiff::Timestamp;

/// Milliseconds since 1970 of an RFC 3339 text; nothing where it is none.
pub fn to_millis(text: Option<&str>) -> Option<i64> {
    let parsed: Timestamp = text?.parse().ok()?;
    Some(parsed.as_millisecond())
}
