//! Whether a sync window is open, as Argo CD reckons it: where the schedule came due less than the duration ago, by the time zone's
//! offset of now.

use std::{ops::RangeInclusive, time::Duration};

use jiff::{Span, Timestamp, civil::DateTime, tz::TimeZone};
use serde_json::Value;

/// A window longer than this is looked at for so long alone.
const LONGEST: Duration = Duration::from_hours(366 * 24);
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// Nothing where the window cannot be read.
pub(super) fn is_active(window: &Value, now: Timestamp) -> Option<bool> {
    let text = |name: &str| window.get(name).and_then(Value::as_str);
    let schedule = Schedule::read(text("schedule")?)?;
    let duration = humantime::parse_duration(text("duration")?).ok()?;
    let zone = text("timeZone").filter(|it| !it.is_empty());
    let zone = zone.and_then(|name| TimeZone::get(name).ok());
    let now = now.to_zoned(zone.unwrap_or(TimeZone::UTC)).datetime();
    let begin = now
        .checked_sub(Span::try_from(duration.min(LONGEST)).ok()?)
        .ok()?;
    let mut minute = now.with().second(0).subsec_nanosecond(0).build().ok()?;
    // A window is not open in its first second.
    if minute == now {
        minute = minute.checked_sub(Span::new().minutes(1)).ok()?;
    }
    while minute > begin {
        if schedule.is_due(minute) {
            return Some(true);
        }
        minute = minute.checked_sub(Span::new().minutes(1)).ok()?;
    }
    Some(false)
}

/// Minute, hour, day of the month, month, day of the week.
struct Schedule {
    minute: Field,
    hour: Field,
    day: Field,
    month: Field,
    weekday: Field,
}

/// The values that a field matches, and if it is a wildcard.
struct Field {
    values: u64,
    any: bool,
}

impl Schedule {
    fn read(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields[..] else {
            return None;
        };
        Some(Self {
            minute: Field::read(minute, 0..=59, &[])?,
            hour: Field::read(hour, 0..=23, &[])?,
            day: Field::read(day, 1..=31, &[])?,
            month: Field::read(month, 1..=12, &MONTHS)?,
            weekday: Field::read(weekday, 0..=6, &DAYS)?,
        })
    }

    fn is_due(&self, at: DateTime) -> bool {
        let day = self.day.takes(at.day());
        let weekday = self.weekday.takes(at.weekday().to_sunday_zero_offset());
        // With both days set, either may match.
        let today = if self.day.any || self.weekday.any {
            day && weekday
        } else {
            day || weekday
        };
        today
            && self.minute.takes(at.minute())
            && self.hour.takes(at.hour())
            && self.month.takes(at.month())
    }
}

impl Field {
    /// `*`, `?`, `5`, `1-5`, `*/10`, `3/10`, `mon`, and lists of these.
    fn read(text: &str, whole: RangeInclusive<u64>, names: &[&str]) -> Option<Self> {
        let mut field = Self {
            values: 0,
            any: false,
        };
        for part in text.split(',') {
            let (range, step) = match part.split_once('/') {
                Some((range, step)) => {
                    (range, Some(step.parse::<u64>().ok().filter(|it| *it > 0)?))
                }
                None => (part, None),
            };
            let number = |text: &str| -> Option<u64> {
                let named = names
                    .iter()
                    .position(|name| name.eq_ignore_ascii_case(text));
                let named = named.and_then(|at| u64::try_from(at).ok());
                let number = match named {
                    Some(at) => at + whole.start(),
                    None => text.parse().ok()?,
                };
                whole.contains(&number).then_some(number)
            };
            let (first, last) = match (range, range.split_once('-')) {
                ("*" | "?", _) => (*whole.start(), *whole.end()),
                (_, Some((first, last))) => (number(first)?, number(last)?),
                (one, None) => match step {
                    Some(_) => (number(one)?, *whole.end()),
                    None => (number(one)?, number(one)?),
                },
            };
            field.any |= matches!(range, "*" | "?") && step.unwrap_or(1) == 1;
            let step = usize::try_from(step.unwrap_or(1)).ok()?;
            for value in (first..=last).step_by(step) {
                field.values |= 1 << value;
            }
        }
        Some(field)
    }

    fn takes(&self, value: i8) -> bool {
        u32::try_from(value).is_ok_and(|value| self.values >> value & 1 == 1)
    }
}

#[cfg(test)]
mod tests;
