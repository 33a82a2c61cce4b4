//! Operations that have ended: from reports, and to those who ask for them.

use causeway_proto::{
    inventory::v1 as pb,
    time::{millis_to_timestamp, timestamp_to_millis},
};
use prost::Message as _;
use prost_types::Timestamp;

use crate::{
    application::{Filter, Visible},
    convert::{filter, page_from, page_limit, short, states, time, unknown_state},
    deployment::{
        Deployment, DeploymentCounts, DeploymentFilter, DeploymentToken, Ended, Period, Phase,
    },
    report::FieldError,
    resource::convert::is_time,
};

/// How many operations one report may tell.
const MOST_TOLD: usize = 64;
/// How large one of them may be, its commit included.
const LARGEST: usize = 16 << 10;
const LONGEST_REQUEST: usize = 256;
const DEFAULT_INTERVALS: u32 = 24;
const MOST_INTERVALS: u32 = 200;
/// 400 days in milliseconds.
const LONGEST_PERIOD: i64 = 400 * 24 * 60 * 60 * 1_000;

/// The ended operations that a report tells.
pub(crate) fn to_ended(told: Vec<pb::OperationRecord>) -> Result<Vec<Ended>, FieldError> {
    if told.len() > MOST_TOLD {
        let problem = format!("has {} entries: at most {MOST_TOLD} are taken", told.len());
        return Err(FieldError::new("operations", problem));
    }
    let indexed = told.into_iter().enumerate();
    let one = |(index, record)| {
        checked(record).map_err(|error| {
            let field = format!("operations[{index}].{}", error.field);
            FieldError::new(field, error.problem)
        })
    };
    indexed.map(one).collect()
}

fn checked(mut record: pb::OperationRecord) -> Result<Ended, FieldError> {
    let size = record.encoded_len();
    if size > LARGEST {
        let problem = format!("has {size} bytes: at most {LARGEST} are kept");
        return Err(FieldError::new("message", problem));
    }
    short("request_id", &record.request_id, LONGEST_REQUEST)?;
    for (field, time) in times(&record) {
        if time.is_some_and(|time| !is_time(time)) {
            return Err(FieldError::new(field, "is no time"));
        }
    }
    let missing = |field| FieldError::new(field, "must be set");
    let started_at = record.started_at.as_ref().map(timestamp_to_millis);
    let started_at = started_at.ok_or_else(|| missing("started_at"))?;
    let finished_at = record.finished_at.as_ref().map(timestamp_to_millis);
    let finished_at = finished_at.ok_or_else(|| missing("finished_at"))?;
    let mark = match record.deployment_id {
        Some(id) => format!("deployment {id}"),
        None => format!("ended {finished_at} {}", record.request_id),
    };
    let commit = pb::OperationRecord {
        commit: record.commit.take(),
        ..pb::OperationRecord::default()
    };
    Ok(Ended {
        started_at,
        mark,
        phase: to_phase(record.phase).ok_or_else(|| unknown_state("phase", record.phase))?,
        content: record.encode_to_vec().into(),
        commit: commit.encode_to_vec().into(),
    })
}

fn times(record: &pb::OperationRecord) -> [(&'static str, Option<&Timestamp>); 3] {
    let commit = record.commit.as_ref();
    [
        ("started_at", record.started_at.as_ref()),
        ("finished_at", record.finished_at.as_ref()),
        (
            "commit.committed_at",
            commit.and_then(|commit| commit.committed_at.as_ref()),
        ),
    ]
}

fn to_phase(code: i32) -> Option<Phase> {
    match pb::OperationPhase::try_from(code).ok()? {
        pb::OperationPhase::Succeeded => Some(Phase::Succeeded),
        pb::OperationPhase::Failed => Some(Phase::Failed),
        pb::OperationPhase::Error => Some(Phase::Error),
        pb::OperationPhase::Unspecified
        | pb::OperationPhase::Running
        | pb::OperationPhase::Terminating => None,
    }
}

/// What a list of operations asks for.
pub(crate) struct ListEnded {
    pub(crate) sought: DeploymentFilter,
    pub(crate) from: Option<DeploymentToken>,
    pub(crate) limit: usize,
}

impl ListEnded {
    /// What a caller asks for of what it may see.
    pub(crate) fn read(
        request: pb::ListDeploymentsRequest,
        visible: Visible,
    ) -> Result<Self, FieldError> {
        let limit = page_limit(request.page_size);
        let of = stateless(request.filter, visible)?;
        Ok(Self {
            sought: DeploymentFilter {
                of,
                phases: states("phases", &request.phases, to_phase)?,
                from: request.started_from.as_ref().map(timestamp_to_millis),
                before: request.started_before.as_ref().map(timestamp_to_millis),
            },
            from: page_from(&request.page_token)?,
            limit,
        })
    }
}

/// A filter that says nothing of the current state.
fn stateless(
    wanted: Option<pb::ApplicationFilter>,
    visible: Visible,
) -> Result<Filter, FieldError> {
    let of = filter(wanted.unwrap_or_default(), visible)?;
    if of.has_states() {
        let problem = "must not have sync, health, source, operation, automated, repositories, parents or changed_since: those are of what is now";
        return Err(FieldError::new("filter", problem));
    }
    Ok(of)
}

/// What a count of operations asks for.
pub(crate) struct CountEnded {
    pub(crate) of: Filter,
    pub(crate) period: Period,
}

impl CountEnded {
    /// What a caller asks for of what it may see, at the time `now`.
    pub(crate) fn read(
        request: pb::CountDeploymentsRequest,
        visible: Visible,
        now: i64,
    ) -> Result<Self, FieldError> {
        let from = time("from", request.from.as_ref())?;
        let from = from.ok_or_else(|| FieldError::new("from", "must be set"))?;
        let to = time("to", request.to.as_ref())?.unwrap_or(now);
        let length = to - from;
        if length <= 0 {
            return Err(FieldError::new("from", "must be before `to`"));
        }
        if length > LONGEST_PERIOD {
            let problem = "is more than 400 days before `to`: ask for a shorter period";
            return Err(FieldError::new("from", problem));
        }
        let intervals = match request.intervals {
            0 => DEFAULT_INTERVALS,
            intervals @ 1..=MOST_INTERVALS => intervals,
            _ => return Err(FieldError::new("intervals", "must be 1 to 200")),
        };
        Ok(Self {
            of: stateless(request.filter, visible)?,
            period: Period {
                from,
                length,
                intervals,
            },
        })
    }
}

/// Counts of a period and of the one before.
pub(crate) fn to_counts(
    period: Period,
    (counts, before): (Vec<DeploymentCounts>, DeploymentCounts),
) -> pb::CountDeploymentsResponse {
    let to_count = |from, counts: DeploymentCounts| pb::DeploymentCounts {
        from: Some(millis_to_timestamp(from)),
        succeeded: counts.succeeded,
        failed: counts.failed,
    };
    let intervals = (0..).zip(counts);
    let intervals = intervals.map(|(index, counts)| to_count(period.start(index), counts));
    pb::CountDeploymentsResponse {
        intervals: intervals.collect(),
        before: Some(to_count(period.before().from, before)),
    }
}

/// A recorded operation as callers see it.
pub(crate) fn to_deployment(
    deployment: Deployment,
) -> Result<pb::DeploymentRecord, prost::DecodeError> {
    let mut operation = pb::OperationRecord::decode(deployment.ended.content)?;
    operation.merge(deployment.ended.commit)?;
    Ok(pb::DeploymentRecord {
        runtime: deployment.key.runtime_name,
        cluster: deployment.key.cluster,
        namespace: deployment.key.namespace,
        name: deployment.key.name,
        uid: deployment.uid.as_str().to_owned(),
        project: deployment.traits.project.to_string(),
        operation: Some(operation),
        recorded_at: Some(millis_to_timestamp(deployment.recorded_at)),
    })
}

#[cfg(test)]
mod tests;
