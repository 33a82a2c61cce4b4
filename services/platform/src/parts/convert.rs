//! Conversions of part messages.

use causeway_proto::{
    access::v1::Side, ids::RuntimeName, platform::v1 as pb, time::millis_to_timestamp,
};

use crate::convert::{FieldError, id, named, text};
use crate::{
    parts::model::{Health, Part},
    platform::Presence,
};

const MOST_LINES: usize = 32;
const LONGEST_LINE: usize = 1024;

/// What a part tells of itself.
pub(crate) fn announced(
    request: pb::AnnounceRequest,
    now: i64,
) -> Result<(Part, Presence), FieldError> {
    let health = match request.health() {
        pb::Health::Serving => Health::Serving,
        pb::Health::Unspecified | pb::Health::NotServing | pb::Health::Lost => Health::NotServing,
    };
    let presence = if request.leaving {
        Presence::Leaving
    } else {
        Presence::Staying
    };
    let part = Part {
        name: id("part", &request.part)?,
        instance: named("instance", request.instance)?,
        version: text("version", request.version)?,
        health,
        pending: lines("pending", request.pending)?,
        notices: lines("notices", request.notices)?,
        allowed_actions: lines("allowed_actions", request.allowed_actions)?,
        last_seen_at: now,
    };
    Ok((part, presence))
}

fn lines(field: &'static str, lines: Vec<String>) -> Result<Vec<String>, FieldError> {
    if lines.len() > MOST_LINES {
        return Err(FieldError::new(field, format!("more than {MOST_LINES}")));
    }
    if lines.iter().any(|line| line.len() > LONGEST_LINE) {
        let problem = format!("a line is longer than {LONGEST_LINE} bytes");
        return Err(FieldError::new(field, problem));
    }
    Ok(lines)
}

/// A part as it is listed.
pub(crate) fn part_status((runtime, part): (Option<RuntimeName>, Part)) -> pb::PartStatus {
    let health = match part.health {
        Health::Serving => pb::Health::Serving,
        Health::NotServing => pb::Health::NotServing,
        Health::Lost => pb::Health::Lost,
    };
    let side = if runtime.is_some() {
        Side::Runtime
    } else {
        Side::Platform
    };
    pb::PartStatus {
        part: part.name.to_string(),
        side: side.into(),
        runtime: runtime.map(|name| name.to_string()).unwrap_or_default(),
        instance: part.instance,
        version: part.version,
        health: health.into(),
        pending: part.pending,
        notices: part.notices,
        last_seen_at: Some(millis_to_timestamp(part.last_seen_at)),
    }
}
