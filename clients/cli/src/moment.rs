//! Times as people give them.

use std::time::{Duration, SystemTime};

use causeway_proto::time::{millis_to_timestamp, to_millis};
use prost_types::Timestamp;

/// A moment: RFC 3339, or how long ago.
#[derive(Debug, Clone)]
pub(crate) struct Moment(pub(crate) Timestamp);

/// Reads `2026-01-31T12:00:00Z`, `36h` or `36h ago`.
pub(crate) fn moment(text: &str) -> Result<Moment, String> {
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Ok(Moment(millis_to_timestamp(time.as_millisecond())));
    }
    let text = text.strip_suffix(" ago").unwrap_or(text);
    let ago: Duration = humantime::parse_duration(text).map_err(|_| {
        "write a time such as 2026-01-31T12:00:00Z, or how long ago, such as 36h".to_owned()
    })?;
    let ago = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
    let now = to_millis(SystemTime::now());
    Ok(Moment(millis_to_timestamp(now.saturating_sub(ago).max(0))))
}

#[cfg(test)]
mod tests;
