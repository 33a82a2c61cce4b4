//! Logs, between the contract and the domain.

use std::collections::BTreeMap;

use causeway_proto::{proxy::v1 as pb, time::timestamp_to_millis};
use jiff::Timestamp;

use super::{FieldError, read_name, resource::read_resource};
use crate::{
    log::{
        Grep, Line, LineMatch, LineRange, LogEvent, LogOrder, LogUpdate, PatternOptions, Position,
    },
    pods::{Containers, PodTarget},
};

const LONGEST_SELECTOR: usize = 1024;
/// Nobody reads more lines of one container by their number.
const LONGEST_TAIL: i64 = 100_000_000;
/// The last lines that are held until their end is known.
const LONGEST_PLACED_TAIL: i64 = 10_000;
const MOST_RESUMED: usize = 1_000;

pub(crate) fn read_logs(request: pb::StreamLogsRequest) -> Result<LogOrder, FieldError> {
    let containers = read_containers(&request)?;
    let grep = read_grep(&request)?;
    let portion = read_portion(&request)?;
    let resume_after = read_resume(&request)?;
    if request.label_selector.len() > LONGEST_SELECTOR {
        return rule("label_selector", "must have at most 1,024 bytes");
    }
    let selector = request.label_selector.clone();
    Ok(LogOrder {
        whose: read_target(request)?,
        selector,
        containers,
        portion,
        resume_after,
        grep,
    })
}

fn read_target(request: pb::StreamLogsRequest) -> Result<PodTarget, FieldError> {
    let application = if request.application.is_empty() {
        None
    } else {
        Some(read_name(
            request.application_namespace,
            request.application,
        )?)
    };
    let resource = if request.kind.is_empty() {
        None
    } else {
        Some(read_resource(
            (request.group, request.kind),
            (request.namespace.clone(), request.name.clone()),
            String::new(),
        )?)
    };
    if resource.is_none() && !request.name.is_empty() {
        return rule("kind", "must be given with a name, for example Pod");
    }
    let namespace = match &resource {
        Some(_) => String::new(),
        None => request.namespace,
    };
    if application.is_none() && resource.is_none() && namespace.is_empty() {
        return rule(
            "application",
            "must be given, or a kind and a name, or a namespace",
        );
    }
    if !namespace.is_empty() {
        // It becomes a path of the cluster's API.
        read_name(namespace.clone(), "x".to_owned())?;
    }
    Ok(PodTarget {
        application,
        resource,
        namespace,
    })
}

fn read_containers(request: &pb::StreamLogsRequest) -> Result<Containers, FieldError> {
    match (request.all_containers, request.container.as_str()) {
        (true, "") => Ok(Containers::All),
        (false, "") => Ok(Containers::Default),
        (false, name) => Ok(Containers::Named(name.to_owned())),
        (true, _) => rule("container", "is not for all_containers: give one of them"),
    }
}

fn read_portion(request: &pb::StreamLogsRequest) -> Result<LineRange, FieldError> {
    let tail = |lines: u64| {
        i64::try_from(lines)
            .unwrap_or(LONGEST_TAIL)
            .min(LONGEST_TAIL)
    };
    let portion = LineRange {
        follow: request.follow,
        previous: request.previous,
        timestamps: request.timestamps,
        since: request.since.as_ref().map(timestamp_to_millis),
        tail: request.tail.map(tail),
        until: request
            .until
            .as_ref()
            .map(|it| read_time("until", it))
            .transpose()?,
        positions: request.positions,
    };
    if portion.follow && portion.until.is_some() {
        return rule("until", "is not for follow: give one of them");
    }
    let is_long = portion.tail.is_some_and(|tail| tail > LONGEST_PLACED_TAIL);
    if portion.is_placed() && is_long {
        return rule("tail", "must be at most 10,000 with positions or until");
    }
    Ok(portion)
}

fn read_resume(
    request: &pb::StreamLogsRequest,
) -> Result<BTreeMap<(String, String), Position>, FieldError> {
    let places = &request.resume_after;
    if !places.is_empty() && !request.positions {
        return rule("resume_after", "needs positions");
    }
    if places.len() > MOST_RESUMED {
        return rule("resume_after", "must have at most 1,000 entries");
    }
    let mut resumed = BTreeMap::new();
    for place in places {
        let Some(time) = &place.time else {
            return rule("resume_after.time", "must be set");
        };
        let position = Position {
            time: read_time("resume_after.time", time)?,
            sequence: place.sequence,
        };
        let name = (place.pod.clone(), place.container.clone());
        if resumed.insert(name, position).is_some() {
            return rule("resume_after", "must name each container once");
        }
    }
    Ok(resumed)
}

fn read_time(field: &'static str, time: &prost_types::Timestamp) -> Result<Timestamp, FieldError> {
    let is_exact = (0..1_000_000_000).contains(&time.nanos);
    let time = Timestamp::new(time.seconds, time.nanos).ok();
    match time.filter(|_| is_exact) {
        Some(time) => Ok(time),
        None => rule(field, "is no time that a calendar has"),
    }
}

impl From<Line> for pb::LogLine {
    fn from(line: Line) -> Self {
        Self {
            time: line.at.map(|at| prost_types::Timestamp {
                seconds: at.time.as_second(),
                nanos: at.time.subsec_nanosecond(),
            }),
            sequence: line.at.map_or(0, |at| at.sequence),
            text: line.text,
        }
    }
}

fn read_grep(request: &pb::StreamLogsRequest) -> Result<Option<Grep>, FieldError> {
    if request.grep.is_empty() {
        return Ok(None);
    }
    let reading = PatternOptions {
        regex: request.grep_regex,
        ignore_case: request.grep_ignore_case,
    };
    let wanted = if request.grep_invert {
        LineMatch::Others
    } else {
        LineMatch::Matching
    };
    Ok(Some(Grep::read(&request.grep, reading, wanted)?))
}

fn rule<T>(field: &'static str, rule: &'static str) -> Result<T, FieldError> {
    Err(FieldError::Rule { field, rule })
}

impl From<LogEvent> for pb::StreamLogsResponse {
    fn from(piece: LogEvent) -> Self {
        use pb::stream_logs_response::Event;
        let event = match piece.said {
            LogUpdate::Begin { containers, joined } => Event::Begin(pb::LogBegin {
                containers: u32::try_from(containers).unwrap_or(u32::MAX),
                joined,
            }),
            LogUpdate::Lines(lines) => Event::Lines(lines),
            LogUpdate::Positioned(lines) => Event::Positioned(pb::LogLines {
                lines: lines.into_iter().map(Into::into).collect(),
            }),
            LogUpdate::End(error) => Event::End(pb::LogEnd { error }),
        };
        Self {
            namespace: piece.of.namespace.clone(),
            pod: piece.of.pod.clone(),
            container: piece.of.container.clone(),
            event: Some(event),
        }
    }
}
