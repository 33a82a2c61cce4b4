//! Times between `SystemTime`, milliseconds and protobuf.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prost_types::Timestamp;

/// Milliseconds since 1970 of a time; 0 for one before it.
pub fn to_millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The time that is so many milliseconds after 1970.
pub fn from_millis(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// Milliseconds since 1970 as protobuf.
pub fn millis_to_timestamp(millis: i64) -> Timestamp {
    let nanos = i32::try_from(millis.rem_euclid(1000) * 1_000_000).unwrap_or(0);
    Timestamp {
        seconds: millis.div_euclid(1000),
        nanos,
    }
}

/// Protobuf as milliseconds since 1970.
pub fn timestamp_to_millis(timestamp: &Timestamp) -> i64 {
    timestamp
        .seconds
        .saturating_mul(1000)
        .saturating_add(i64::from(timestamp.nanos / 1_000_000))
}
