//! Conversion of Kubernetes timestamps.

use jiff::Timestamp;

/// Years 1 to 9999, the range of protobuf timestamps.
const SUPPORTED_SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// Converts an RFC 3339 text to milliseconds since 1970; none if it is invalid or outside the years 1 to 9999.
pub fn to_millis(text: Option<&str>) -> Option<i64> {
    let parsed: Timestamp = text?.parse().ok()?;
    SUPPORTED_SECONDS
        .contains(&parsed.as_second())
        .then(|| parsed.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::to_millis;

    #[test]
    fn a_time_is_read_with_its_offset_and_garbage_is_none() {
        let check = |text: &str, wanted: Option<i64>| {
            assert_eq!(to_millis(Some(text)), wanted, "{text}");
        };
        check("1970-01-01T00:00:01Z", Some(1_000));
        check("1970-01-01T01:00:00.5+01:00", Some(500));
        check("1969-12-31T23:00:00-01:00", Some(0));
        check("0001-01-01T00:00:00Z", Some(-62_135_596_800_000));
        check("2999-01-01T00:00:00Z", Some(32_472_144_000_000));
        check("-000001-01-01T00:00:00Z", None);
        for garbage in [
            "",
            "soon",
            "2026-13-01T00:00:00Z",
            "2026-01-01",
            "🕐",
            "1767323045",
        ] {
            check(garbage, None);
        }
        assert_eq!(to_millis(None), None);
    }
}
