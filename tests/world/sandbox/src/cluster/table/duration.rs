//! Durations as `kubectl` prints them: two units at most, coarser with age.

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// `seconds` for people, for example `5m30s` or `3d`.
pub(crate) fn human(seconds: i64) -> String {
    let two = |(big, big_unit): (i64, char), (small, small_unit): (i64, char)| {
        let rest = seconds % big / small;
        let whole = seconds / big;
        if rest == 0 {
            format!("{whole}{big_unit}")
        } else {
            format!("{whole}{big_unit}{rest}{small_unit}")
        }
    };
    match seconds {
        ..0 => "0s".to_owned(),
        _ if seconds < 2 * MINUTE => format!("{seconds}s"),
        _ if seconds < 10 * MINUTE => two((MINUTE, 'm'), (1, 's')),
        _ if seconds < 3 * HOUR => format!("{}m", seconds / MINUTE),
        _ if seconds < 8 * HOUR => two((HOUR, 'h'), (MINUTE, 'm')),
        _ if seconds < 2 * DAY => format!("{}h", seconds / HOUR),
        _ if seconds < 8 * DAY => two((DAY, 'd'), (HOUR, 'h')),
        _ if seconds < 2 * YEAR => format!("{}d", seconds / DAY),
        _ if seconds < 8 * YEAR => two((YEAR, 'y'), (DAY, 'd')),
        _ => format!("{}y", seconds / YEAR),
    }
}
