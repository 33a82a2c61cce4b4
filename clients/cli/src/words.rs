//! Texts for the contract's enums and times, in Argo CD's words.

use std::time::SystemTime;

use causeway_proto::{inventory::v1 as pb, time};
use prost_types::Timestamp;

use crate::output;

pub(crate) fn sync(status: Option<&pb::ApplicationStatus>) -> &'static str {
    let state = status.and_then(|status| status.sync.as_ref());
    sync_status(state.map_or(pb::SyncStatus::Unknown, pb::SyncState::status))
}

/// The sync status of an application, with the age of the state if its runtime is not heard.
pub(crate) fn reported_sync(application: &pb::Application) -> String {
    let sync = sync(application.status.as_ref());
    with_staleness(sync, application.stale_since.as_ref())
}

/// The health of an application, with the age of the state if its runtime is not heard.
pub(crate) fn reported_health(application: &pb::Application) -> String {
    let health = health(application.status.as_ref());
    with_staleness(health, application.stale_since.as_ref())
}

/// A state that is current, or "Synced (stale 12m)".
pub(crate) fn with_staleness(state: &str, stale_since: Option<&Timestamp>) -> String {
    match stale_since {
        Some(_) => format!("{state} (stale {})", age(stale_since)),
        None => state.to_owned(),
    }
}

/// Returns the state of a text that [`with_staleness`] made, and whether it is stale.
pub(crate) fn split_staleness(text: &str) -> (&str, bool) {
    match text.split_once(" (stale ") {
        Some((state, _)) => (state, true),
        None => (text, false),
    }
}

pub(crate) fn sync_status(status: pb::SyncStatus) -> &'static str {
    match status {
        pb::SyncStatus::Unspecified => "",
        pb::SyncStatus::Unknown => "Unknown",
        pb::SyncStatus::Synced => "Synced",
        pb::SyncStatus::OutOfSync => "OutOfSync",
    }
}

pub(crate) fn health(status: Option<&pb::ApplicationStatus>) -> &'static str {
    let state = status.and_then(|status| status.health.as_ref());
    health_status(state.map_or(pb::HealthStatus::Unknown, pb::HealthState::status))
}

pub(crate) fn health_status(status: pb::HealthStatus) -> &'static str {
    match status {
        pb::HealthStatus::Unspecified => "",
        pb::HealthStatus::Unknown => "Unknown",
        pb::HealthStatus::Progressing => "Progressing",
        pb::HealthStatus::Healthy => "Healthy",
        pb::HealthStatus::Suspended => "Suspended",
        pb::HealthStatus::Degraded => "Degraded",
        pb::HealthStatus::Missing => "Missing",
    }
}

/// Parses one of `names`, which are the values of an enum behind its unspecified one.
pub(crate) fn parse_name<E: TryFrom<i32>>(names: &[&str], text: &str) -> Result<E, String> {
    let mut numbered = (1..).zip(names);
    let found = numbered.find(|(_, name)| name.eq_ignore_ascii_case(text));
    found
        .and_then(|(number, _)| E::try_from(number).ok())
        .ok_or_else(|| format!("one of {}", names.join(", ")))
}

pub(crate) fn parse_health(text: &str) -> Result<pb::HealthStatus, String> {
    let names = [
        "Unknown",
        "Progressing",
        "Healthy",
        "Suspended",
        "Degraded",
        "Missing",
    ];
    parse_name(&names, text)
}

pub(crate) fn hydration(phase: pb::HydrationPhase) -> &'static str {
    match phase {
        pb::HydrationPhase::Unspecified => "",
        pb::HydrationPhase::Hydrating => "Hydrating",
        pb::HydrationPhase::Failed => "Failed",
        pb::HydrationPhase::Hydrated => "Hydrated",
    }
}

pub(crate) fn phase(phase: pb::OperationPhase) -> &'static str {
    match phase {
        pb::OperationPhase::Unspecified => "",
        pb::OperationPhase::Running => "Running",
        pb::OperationPhase::Terminating => "Terminating",
        pb::OperationPhase::Succeeded => "Succeeded",
        pb::OperationPhase::Failed => "Failed",
        pb::OperationPhase::Error => "Error",
    }
}

/// The phase of an operation, marked for a dry run.
pub(crate) fn operation_phase(operation: &pb::Operation) -> String {
    let dry_run = if operation.dry_run { " (dry run)" } else { "" };
    format!("{}{dry_run}", phase(operation.phase()))
}

/// The revisions of an application.
pub(crate) fn revision(status: Option<&pb::ApplicationStatus>) -> String {
    let sync = status.and_then(|status| status.sync.as_ref());
    short_revisions(sync.map_or(&[], |sync| &sync.revisions))
}

/// Revisions, hashes shortened.
pub(crate) fn short_revisions(revisions: &[String]) -> String {
    let short = revisions.iter().map(|revision| short(revision));
    short.collect::<Vec<_>>().join(",")
}

/// Shortens a hash to seven characters; returns other revisions unchanged.
pub(crate) fn short(revision: &str) -> &str {
    let hash = revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hash { &revision[..7] } else { revision }
}

/// Returns the first line of a foreign text without controls of a terminal.
pub(crate) fn plain(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    output::clean(first).replace('\t', " ")
}

/// Returns "Name" of "Name <address>".
pub(crate) fn author_name(author: &str) -> String {
    let name = author.split('<').next().unwrap_or_default();
    plain(name.trim())
}

/// Returns the age in kubectl's short form: 5s, 12m, 3h, 8d.
pub(crate) fn age(timestamp: Option<&Timestamp>) -> String {
    let Some(timestamp) = timestamp else {
        return "-".to_owned();
    };
    let now = time::to_millis(SystemTime::now());
    let seconds = (now - time::timestamp_to_millis(timestamp)).max(0) / 1000;
    match seconds {
        ..120 => format!("{seconds}s"),
        120..7_200 => format!("{}m", seconds / 60),
        7_200..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// "5s ago", or "never".
pub(crate) fn ago(timestamp: Option<&Timestamp>) -> String {
    match timestamp {
        Some(_) => format!("{} ago", age(timestamp)),
        None => "never".to_owned(),
    }
}

/// The state of a user.
pub(crate) fn enabled(disabled_at: Option<&Timestamp>) -> &'static str {
    if disabled_at.is_some() {
        "disabled"
    } else {
        "enabled"
    }
}

pub(crate) fn yes_or_no(answer: bool) -> &'static str {
    if answer { "yes" } else { "no" }
}

/// Returns KIND.GROUP NAMESPACE/NAME of an object.
pub(crate) fn object_name([kind, group, namespace, name]: [&str; 4]) -> String {
    let dot = if group.is_empty() { "" } else { "." };
    let slash = if namespace.is_empty() { "" } else { "/" };
    format!("{kind}{dot}{group} {namespace}{slash}{name}")
}

/// A text, or "-" for none.
pub(crate) fn or_dash(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}

/// The time now, as HH:MM:SS.
pub(crate) fn time_of_day() -> String {
    jiff::Zoned::now().strftime("%H:%M:%S").to_string()
}

/// Returns a time as RFC 3339 in UTC, to the second.
pub(crate) fn moment(timestamp: Option<&Timestamp>) -> String {
    let Some(timestamp) = timestamp else {
        return "-".to_owned();
    };
    jiff::Timestamp::from_second(timestamp.seconds)
        .map_or_else(|_| "-".to_owned(), |time| time.to_string())
}

#[cfg(test)]
mod tests;
