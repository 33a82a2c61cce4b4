use causeway_proto::time::{timestamp_to_millis, to_millis};

use super::*;

fn millis(text: &str) -> Result<i64, String> {
    moment(text).map(|moment| timestamp_to_millis(&moment.0))
}

#[test]
fn a_moment_is_a_time_or_how_long_ago() {
    assert_eq!(millis("1970-01-01T00:00:02.5Z"), Ok(2_500));
    assert_eq!(millis("1970-01-01T01:00:00+01:00"), Ok(0));
    let now = to_millis(std::time::SystemTime::now());
    for text in ["2h", "2h ago", "120m"] {
        let ago = now - millis(text).unwrap();
        assert!(
            (7_200_000 - 60_000..=7_200_000).contains(&ago),
            "{text}: {ago}"
        );
    }
    assert_eq!(millis("9000000years"), Ok(0));
    for text in ["", "tomorrow", "2026-13-31", "ago", "-2h"] {
        assert!(moment(text).unwrap_err().contains("36h"), "{text}");
    }
}

#[test]
fn a_day_begins_at_midnight_of_the_users_time_zone() {
    let now: Zoned = "2026-03-30T00:30:00+05:30[Asia/Kolkata]".parse().unwrap();
    let read = |text: &str| {
        let found = moment_at(text, &now).unwrap();
        let found = jiff::Timestamp::from_millisecond(timestamp_to_millis(&found.0)).unwrap();
        found.to_string()
    };
    for (text, expected) in [
        ("today", "2026-03-29T18:30:00Z"),
        ("Yesterday", "2026-03-28T18:30:00Z"),
        ("now", "2026-03-29T19:00:00Z"),
        ("1h", "2026-03-29T18:00:00Z"),
        ("2026-01-31", "2026-01-30T18:30:00Z"),
        ("2026-01-31T12:00", "2026-01-31T06:30:00Z"),
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}
