//! Times as users pass them.

use std::time::Duration;

use causeway_proto::time::millis_to_timestamp;
use jiff::{Zoned, civil::DateTime};
use prost_types::Timestamp;

/// A moment: a word, a date, RFC 3339, or how long ago.
#[derive(Debug, Clone)]
pub(crate) struct Moment(pub(crate) Timestamp);

/// Reads `today`, `yesterday`, `2026-01-31`, `2026-01-31T12:00:00Z`, `36h` or `36h ago`.
pub(crate) fn moment(text: &str) -> Result<Moment, String> {
    moment_at(text.trim(), &Zoned::now())
}

/// Days begin at midnight of the time zone of `now`.
fn moment_at(text: &str, now: &Zoned) -> Result<Moment, String> {
    let millis = match text.parse::<jiff::Timestamp>() {
        Ok(time) => time.as_millisecond(),
        Err(_) => match local_time(text, now) {
            Some(local) => start_of(local, now)?,
            None => ago(text, now)?,
        },
    };
    Ok(Moment(millis_to_timestamp(millis)))
}

/// A word for a day, or a date with or without a time of day.
fn local_time(text: &str, now: &Zoned) -> Option<DateTime> {
    let today = now.date();
    match text.to_ascii_lowercase().as_str() {
        "now" => Some(now.datetime()),
        "today" => Some(today.into()),
        "yesterday" => today.yesterday().ok().map(DateTime::from),
        _ => text.parse().ok(),
    }
}

fn start_of(local: DateTime, now: &Zoned) -> Result<i64, String> {
    let zoned = local.to_zoned(now.time_zone().clone());
    let zoned = zoned.map_err(|error| error.to_string())?;
    Ok(zoned.timestamp().as_millisecond())
}

fn ago(text: &str, now: &Zoned) -> Result<i64, String> {
    let text = text.strip_suffix(" ago").unwrap_or(text);
    let ago: Duration = humantime::parse_duration(text).map_err(|_| {
        "use how long ago, such as 36h, or today, yesterday, 2026-01-31, 2026-01-31T12:00:00Z"
            .to_owned()
    })?;
    let ago = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
    Ok(now.timestamp().as_millisecond().saturating_sub(ago).max(0))
}

#[cfg(test)]
mod tests;
