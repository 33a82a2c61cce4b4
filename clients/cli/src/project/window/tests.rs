use jiff::Timestamp;
use serde_json::json;

use super::is_active;

/// 2026-01-01 was a Thursday.
fn active(schedule: &str, duration: &str, zone: &str, now: &str) -> Option<bool> {
    let window =
        json!({"kind": "allow", "schedule": schedule, "duration": duration, "timeZone": zone});
    let now: Timestamp = now.parse().unwrap();
    is_active(&window, now)
}

#[test]
fn a_window_is_open_from_its_time_on_for_as_long_as_it_lasts() {
    for (now, open) in [
        ("2026-01-01T09:59:59Z", false),
        ("2026-01-01T10:00:00Z", false),
        ("2026-01-01T10:00:01Z", true),
        ("2026-01-01T11:29:59Z", true),
        ("2026-01-01T11:30:00Z", false),
    ] {
        assert_eq!(active("0 10 * * *", "1h30m", "", now), Some(open), "{now}");
    }
}

#[test]
fn fields_are_those_of_cron() {
    let now = "2026-01-01T10:20:30Z";
    for (schedule, open) in [
        ("20 10 1 1 *", true),
        ("20 10 1 jan thu", true),
        ("20 10 2 * thu", true),
        ("20 10 2 * ?", false),
        ("*/20 * * * 1-5", true),
        ("5/15 * * * *", true),
        ("0-19,21-59 * * * *", false),
        ("20 10 */2 * mon", true),
    ] {
        assert_eq!(active(schedule, "1m", "", now), Some(open), "{schedule}");
    }
}

#[test]
fn a_window_is_of_its_time_zone() {
    let now = "2026-01-01T23:30:00Z";
    assert_eq!(active("0 8 2 * *", "1h", "Asia/Tokyo", now), Some(true));
    assert_eq!(active("0 8 2 * *", "1h", "", now), Some(false));
    assert_eq!(active("0 23 1 * *", "1h", "No/Where", now), Some(true));
}

#[test]
fn an_invalid_window_is_neither_open_nor_closed() {
    let now = "2026-01-01T10:20:30Z";
    for schedule in [
        "",
        "* * * *",
        "60 * * * *",
        "x * * * *",
        "*/0 * * * *",
        "* * * * 7",
    ] {
        assert_eq!(active(schedule, "1h", "", now), None, "{schedule}");
    }
    assert_eq!(active("* * * * *", "soon", "", now), None);
    assert_eq!(is_active(&json!(5), Timestamp::now()), None);
    assert_eq!(active("0 0 30 2 *", "900000h", "", now), Some(false));
}
