//! Conversions between `SystemTime`, milliseconds and protobuf timestamps.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prost_types::Timestamp;

/// Converts to milliseconds since 1970; 0 for earlier times.
pub fn to_millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Converts from milliseconds since 1970.
pub fn from_millis(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// Converts milliseconds since 1970 to protobuf.
pub fn millis_to_timestamp(millis: i64) -> Timestamp {
    let nanos = i32::try_from(millis.rem_euclid(1000) * 1_000_000).unwrap_or(0);
    Timestamp {
        seconds: millis.div_euclid(1000),
        nanos,
    }
}

/// Converts protobuf to milliseconds since 1970.
pub fn timestamp_to_millis(timestamp: &Timestamp) -> i64 {
    timestamp
        .seconds
        .saturating_mul(1000)
        .saturating_add(i64::from(timestamp.nanos / 1_000_000))
}
