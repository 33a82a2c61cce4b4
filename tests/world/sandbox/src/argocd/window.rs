//! Sync windows: times at which an application may be synced, or may not.

use std::{ops::RangeInclusive, time::Duration};

use jiff::{Timestamp, ToSpan, Zoned, tz::TimeZone};
use serde::Deserialize;

use super::{application::Application, glob::matches, operation::parse_duration};

/// A window longer than this ends sooner: each minute of it is looked at.
const LONGEST: Duration = Duration::from_hours(7 * 24);

/// One window of a project.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Window {
    kind: String,
    /// five fields, as of cron
    schedule: String,
    duration: String,
    applications: Vec<String>,
    namespaces: Vec<String>,
    clusters: Vec<String>,
    manual_sync: bool,
    time_zone: String,
}

/// Who wants to sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyncTrigger {
    Automated,
    Manual,
}

/// Whether the windows let an application be synced now.
pub(crate) fn is_open(
    windows: &[Window],
    application: &Application,
    wish: SyncTrigger,
    now: Timestamp,
) -> bool {
    let ours = windows.iter().filter(|one| one.is_about(application));
    let (active, inactive): (Vec<&Window>, Vec<&Window>) = ours.partition(|one| one.is_active(now));
    let of = |windows: &[&Window], kind: &str| -> Vec<bool> {
        let these = windows.iter().filter(|one| one.kind == kind);
        these.map(|one| one.manual_sync).collect()
    };
    let (denying, allowing) = (of(&active, "deny"), of(&active, "allow"));
    let waiting = of(&inactive, "allow");
    let excepted =
        |windows: &[bool]| wish == SyncTrigger::Manual && windows.iter().all(|manual| *manual);
    if denying.is_empty() {
        !allowing.is_empty() || waiting.is_empty() || excepted(&waiting)
    } else {
        excepted(&denying)
    }
}

impl Window {
    fn is_about(&self, application: &Application) -> bool {
        let destination = application.destination();
        let among = |patterns: &[String], text: &str| patterns.iter().any(|one| matches(one, text));
        among(&self.applications, &application.key.name)
            || among(&self.namespaces, &destination.namespace)
            || among(&self.clusters, &destination.server)
    }

    /// A minute at which the window opens is no longer ago than it lasts.
    fn is_active(&self, now: Timestamp) -> bool {
        let Some(duration) = parse_duration(&self.duration) else {
            return false;
        };
        let zone = match self.time_zone.as_str() {
            "" => TimeZone::UTC,
            name => TimeZone::get(name).unwrap_or(TimeZone::UTC),
        };
        let minutes = i64::try_from(duration.min(LONGEST).as_secs() / 60).unwrap_or(0);
        let now = now.to_zoned(zone);
        let opens = |ago: i64| {
            now.checked_sub(ago.minutes())
                .is_ok_and(|at| is_due(&self.schedule, &at))
        };
        (0..minutes.max(1)).any(opens)
    }
}

/// Minute, hour, day of the month, month, day of the week; the two days are alternatives when both are given.
fn is_due(schedule: &str, at: &Zoned) -> bool {
    let fields: Vec<&str> = schedule.split_whitespace().collect();
    let [minute, hour, day, month, weekday] = fields[..] else {
        return false;
    };
    let today = at.weekday().to_sunday_zero_offset();
    let on_day = takes(day, i64::from(at.day()), 1..=31);
    let on_weekday = takes(weekday, i64::from(today), 0..=6)
        || (today == 0 && takes(weekday, 7, 0..=7) && !weekday.starts_with('*'));
    let right_day = match (day.starts_with('*'), weekday.starts_with('*')) {
        (false, false) => on_day || on_weekday,
        (true, _) | (_, true) => on_day && on_weekday,
    };
    right_day
        && takes(minute, i64::from(at.minute()), 0..=59)
        && takes(hour, i64::from(at.hour()), 0..=23)
        && takes(month, i64::from(at.month()), 1..=12)
}

/// `*`, `5`, `1-5`, `*/10`, `0-30/10`, and lists of these.
fn takes(field: &str, value: i64, whole: RangeInclusive<i64>) -> bool {
    field
        .split(',')
        .any(|part| takes_one(part, value, &whole).unwrap_or(false))
}

fn takes_one(part: &str, value: i64, whole: &RangeInclusive<i64>) -> Option<bool> {
    let (range, step) = match part.split_once('/') {
        Some((range, step)) => (range, step.parse::<i64>().ok().filter(|step| *step > 0)?),
        None => (part, 1),
    };
    let range = match range.split_once('-') {
        _ if range == "*" => whole.clone(),
        Some((first, last)) => first.parse().ok()?..=last.parse().ok()?,
        None if part.contains('/') => range.parse().ok()?..=*whole.end(),
        None => {
            let only = range.parse().ok()?;
            only..=only
        }
    };
    Some(range.contains(&value) && (value - range.start()) % step == 0)
}

#[cfg(test)]
mod tests;
