//! Converts summaries and what they are read from.

use causeway_proto::{
    inventory::v1::{self as pb, application_error::Source, live_resource::Detail},
    time::{millis_to_timestamp, timestamp_to_millis},
};
use prost::Message as _;

use super::{AccountSummary, Condition, Problem, Readers, Running, Silent, Trouble};
use crate::{
    application::{Filter, Health, Key, Record, Visible},
    convert::{filter, to_application},
    report::FieldError,
    resource::ResourceRecord,
};

const DEFAULT_PROBLEMS: usize = 20;
const MOST_PROBLEMS: usize = 100;
/// Errors of one application that are grouped.
const MOST_TROUBLES: usize = 20;
const LONGEST_MESSAGE: usize = 1 << 10;

pub(crate) const READERS: Readers = Readers {
    condition: to_condition,
    paused: to_pause,
};

/// What a summary asks for.
pub(crate) fn wanted(
    request: pb::GetSummaryRequest,
    visible: Visible,
) -> Result<(Filter, usize), FieldError> {
    let most = match usize::try_from(request.most_problems) {
        Ok(0) => DEFAULT_PROBLEMS,
        Ok(most) if most <= MOST_PROBLEMS => most,
        Ok(_) | Err(_) => return Err(FieldError::new("most_problems", "must be 1 to 100")),
    };
    Ok((filter(request.filter.unwrap_or_default(), visible)?, most))
}

/// An application that cannot be decoded says nothing.
fn to_condition(record: &Record) -> Condition {
    let application = to_application(record.clone()).unwrap_or_default();
    let status = application.status.unwrap_or_default();
    let spec = application.spec.unwrap_or_default();
    let destination = spec.destination.unwrap_or_default();
    let operation = status.operation.clone().unwrap_or_default();
    let ended = operation.finished_at.or(operation.started_at);
    let settled = ended.or(application.created_at);
    Condition {
        names: vec![destination.namespace],
        troubles: troubles(&status),
        running: running(operation),
        automated: spec.sync_policy.unwrap_or_default().automated,
        settled_at: settled.as_ref().map_or(0, timestamp_to_millis),
    }
}

fn running(mut operation: pb::Operation) -> Option<(i64, bytes::Bytes)> {
    use pb::OperationPhase::{Running, Terminating};
    if !matches!(operation.phase(), Running | Terminating) {
        return None;
    }
    operation.resources.clear();
    operation
        .message
        .truncate(operation.message.floor_char_boundary(LONGEST_MESSAGE));
    let started_at = operation.started_at.as_ref().map_or(0, timestamp_to_millis);
    Some((started_at, operation.encode_to_vec().into()))
}

/// The reported errors, or in the basic view what they are made of.
fn troubles(status: &pb::ApplicationStatus) -> Vec<Trouble> {
    let errors = status.errors.iter();
    let errors = errors.filter(|error| error.level() != pb::ApplicationErrorLevel::Warning);
    let mut troubles: Vec<Trouble> = errors
        .take(MOST_TROUBLES)
        .map(|error| from_error(error, status))
        .collect();
    if troubles.is_empty() {
        let conditions = status.conditions.iter();
        let broken = conditions.filter(|condition| !condition.r#type.ends_with("Warning"));
        troubles.extend(broken.take(MOST_TROUBLES).map(from_condition));
        troubles.extend(from_operation(status.operation.as_ref()));
    }
    let is_told = troubles.iter().any(|trouble| trouble.kind == "health");
    troubles.extend(from_health(status.health.as_ref()).filter(|_| !is_told));
    troubles
}

fn from_error(error: &pb::ApplicationError, status: &pb::ApplicationStatus) -> Trouble {
    let last_seen = error.last_seen.as_ref().map(timestamp_to_millis);
    let (kind, name) = match &error.source {
        Some(Source::Condition(kind)) => (kind.as_str(), ""),
        Some(Source::Resource(it) | Source::Child(it)) => ("", it.name.as_str()),
        Some(Source::Operation(_)) | None => ("", ""),
    };
    let is_health = error.r#type() == pb::ApplicationErrorType::Health;
    let health = status.health.as_ref();
    let changed = health.and_then(|health| health.since.as_ref());
    Trouble {
        kind: match kind {
            "" if is_health => "health".to_owned(),
            "" => "sync".to_owned(),
            kind => kind.to_owned(),
        },
        message: error.message.clone(),
        name: name.to_owned(),
        // The last time that unhealthy resources were seen is always now.
        since: if is_health {
            changed.map(timestamp_to_millis)
        } else {
            last_seen
        },
    }
}

fn from_condition(condition: &pb::Condition) -> Trouble {
    Trouble {
        kind: condition.r#type.clone(),
        message: condition.message.clone(),
        name: String::new(),
        since: condition.since.as_ref().map(timestamp_to_millis),
    }
}

fn from_operation(operation: Option<&pb::Operation>) -> Option<Trouble> {
    use pb::OperationPhase::{Error, Failed};
    let failed = operation.filter(|it| matches!(it.phase(), Failed | Error) && !it.dry_run)?;
    Some(Trouble {
        kind: "sync".to_owned(),
        message: failed.message.clone(),
        name: String::new(),
        since: failed.finished_at.as_ref().map(timestamp_to_millis),
    })
}

/// Health that no error explains.
fn from_health(health: Option<&pb::HealthState>) -> Option<Trouble> {
    use pb::HealthStatus::{Degraded, Missing};
    let health = health.filter(|it| matches!(it.status(), Degraded | Missing))?;
    let message = match (&*health.message, health.status()) {
        ("", Missing) => "its resources do not exist in the cluster",
        ("", _) => "it is degraded, and Argo CD does not say why",
        (message, _) => message,
    };
    Some(Trouble {
        kind: "health".to_owned(),
        message: message.to_owned(),
        name: String::new(),
        since: health.since.as_ref().map(timestamp_to_millis),
    })
}

/// 0 stands for an unknown time.
fn to_pause(record: &ResourceRecord) -> Option<i64> {
    let live = pb::LiveResource::decode(record.basic.clone()).ok()?;
    let Some(Detail::Rollout(rollout)) = live.detail else {
        return None;
    };
    let pause = rollout.pause?;
    Some(pause.since.as_ref().map_or(0, timestamp_to_millis))
}

/// A summary as it is sent.
pub(crate) fn to_summary(summary: AccountSummary) -> pb::GetSummaryResponse {
    let mut facets = summary.states.facets.into_iter();
    let mut values = || {
        let values = facets.next().map(|facet| facet.values).unwrap_or_default();
        let values = values.into_iter();
        let value = |(value, count)| pb::FacetValue { value, count };
        values.map(value).collect()
    };
    pb::GetSummaryResponse {
        total: summary.states.total,
        health: values(),
        sync: values(),
        problems: summary.problems.into_iter().map(to_problem).collect(),
        problems_left_off: summary.problems_left_off,
        running: summary.running.into_iter().filter_map(to_running).collect(),
        running_total: summary.running_total,
        paused_rollouts: summary.paused.into_iter().map(to_paused).collect(),
        silent_runtimes: summary.silent.into_iter().map(to_silent).collect(),
        drifted: summary.drifted,
    }
}

/// An application as one text.
pub(crate) fn to_text(key: &Key) -> String {
    let Key {
        runtime_name,
        cluster,
        namespace,
        name,
        ..
    } = key;
    format!("{runtime_name}/{cluster}/{namespace}/{name}")
}

fn to_problem(problem: Problem) -> pb::Problem {
    pb::Problem {
        r#type: problem.kind,
        message: problem.message,
        example: problem.example,
        count: problem.count,
        since: problem.since.map(millis_to_timestamp),
        keys: problem.keys.iter().map(to_text).collect(),
        runtimes: problem.runtimes.into_iter().collect(),
        health: from_health_state(problem.health).into(),
    }
}

pub(crate) fn from_health_state(health: Health) -> pb::HealthStatus {
    match health {
        Health::Unspecified => pb::HealthStatus::Unspecified,
        Health::Unknown => pb::HealthStatus::Unknown,
        Health::Progressing => pb::HealthStatus::Progressing,
        Health::Healthy => pb::HealthStatus::Healthy,
        Health::Suspended => pb::HealthStatus::Suspended,
        Health::Degraded => pb::HealthStatus::Degraded,
        Health::Missing => pb::HealthStatus::Missing,
    }
}

fn to_running(running: Running) -> Option<pb::RunningOperation> {
    Some(pb::RunningOperation {
        operation: Some(pb::Operation::decode(running.operation).ok()?),
        runtime: running.key.runtime_name,
        cluster: running.key.cluster,
        namespace: running.key.namespace,
        name: running.key.name,
    })
}

fn to_paused((record, since): (ResourceRecord, i64)) -> pb::PausedRollout {
    pb::PausedRollout {
        runtime: record.key.runtime_name,
        cluster: record.key.cluster,
        namespace: record.key.namespace,
        name: record.key.name,
        since: (since > 0).then(|| millis_to_timestamp(since)),
    }
}

fn to_silent(silent: Silent) -> pb::SilentRuntime {
    pb::SilentRuntime {
        runtime: silent.runtime,
        last_heard_at: Some(millis_to_timestamp(silent.last_heard_at)),
        applications: silent.applications,
    }
}
