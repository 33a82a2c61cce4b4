//! What applications were, as callers ask for it and read it.

use std::collections::BTreeMap;

use bytes::Bytes;
use causeway_proto::{
    inventory::v1 as pb,
    time::{millis_to_timestamp, timestamp_to_millis},
};
use prost::Message as _;

use crate::{
    application::{
        Health, ScopeTraits, Sync,
        convert::{labels, manifests, placed, split, whole},
    },
    convert::{LONGEST_TOKEN, page_limit, short},
    history::{Entry, Frame, Moment, Phase},
    inventory::{ApplicationRequest, DecodedState, Snapshot},
    report::FieldError,
};

/// How many bytes of an answer differences may take.
const ANSWER_BYTES: usize = 3 << 20;
/// The seconds of the year 9999.
const LAST_SECOND: i64 = 253_402_300_799;

/// A time that a request names, if it does, in milliseconds since 1970.
pub(crate) fn time(
    field: &str,
    time: Option<&prost_types::Timestamp>,
) -> Result<Option<i64>, FieldError> {
    let Some(time) = time else { return Ok(None) };
    let nanos = (0..1_000_000_000).contains(&time.nanos);
    if !nanos || !(-LAST_SECOND..=LAST_SECOND).contains(&time.seconds) {
        return Err(FieldError::new(field, "is no time that a calendar has"));
    }
    Ok(Some(timestamp_to_millis(time)))
}

/// The states of an application that are asked for.
pub(crate) struct ListStates {
    pub(crate) wanted: ApplicationRequest,
    pub(crate) from: Option<Moment>,
    pub(crate) limit: usize,
}

impl TryFrom<pb::ListApplicationStatesRequest> for ListStates {
    type Error = FieldError;

    fn try_from(request: pb::ListApplicationStatesRequest) -> Result<Self, FieldError> {
        let limit = page_limit(request.page_size);
        let from = states_from(&request.page_token)?;
        let wanted = ApplicationRequest::try_from(pb::GetApplicationRequest {
            runtime: request.runtime,
            namespace: request.namespace,
            name: request.name,
            cluster: request.cluster,
            at: None,
        })?;
        Ok(Self {
            wanted,
            from,
            limit,
        })
    }
}

/// A token is the moment that its page begins at.
fn states_from(token: &str) -> Result<Option<Moment>, FieldError> {
    if token.is_empty() {
        return Ok(None);
    }
    short("page_token", token, LONGEST_TOKEN)?;
    let parts = token.split_once('.');
    let moment = parts.and_then(|(at, change)| {
        Some(Moment {
            at: at.parse().ok()?,
            change: change.parse().ok()?,
        })
    });
    let wrong = || FieldError::new("page_token", "is not one that a list of states has sent");
    moment.map(Some).ok_or_else(wrong)
}

/// A page of states.
pub(crate) fn to_states(
    (entries, next): (Vec<Entry>, Option<Moment>),
) -> pb::ListApplicationStatesResponse {
    let token = |next: Moment| format!("{}.{}", next.at, next.change);
    pb::ListApplicationStatesResponse {
        states: entries.into_iter().map(to_accepted).collect(),
        next_page_token: next.map(token).unwrap_or_default(),
    }
}

fn to_accepted(entry: Entry) -> pb::AcceptedState {
    pb::AcceptedState {
        received_at: Some(millis_to_timestamp(entry.moment.at)),
        resource_version: entry.resource_version,
        gone: entry.frame == Frame::Tombstone,
        sync: from_sync(entry.summary.sync).into(),
        health: from_health(entry.summary.health).into(),
        revisions: entry.summary.revisions,
        operation: from_phase(entry.summary.phase).into(),
    }
}

fn from_sync(sync: Sync) -> pb::SyncStatus {
    match sync {
        Sync::Unspecified => pb::SyncStatus::Unspecified,
        Sync::Unknown => pb::SyncStatus::Unknown,
        Sync::Synced => pb::SyncStatus::Synced,
        Sync::OutOfSync => pb::SyncStatus::OutOfSync,
    }
}

fn from_health(health: Health) -> pb::HealthStatus {
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

fn from_phase(phase: Phase) -> pb::OperationPhase {
    match phase {
        Phase::Unspecified => pb::OperationPhase::Unspecified,
        Phase::Running => pb::OperationPhase::Running,
        Phase::Terminating => pb::OperationPhase::Terminating,
        Phase::Succeeded => pb::OperationPhase::Succeeded,
        Phase::Failed => pb::OperationPhase::Failed,
        Phase::Error => pb::OperationPhase::Error,
    }
}

/// What is to be known of an encoded state to tell who may see it and which manifests it has.
pub(crate) fn read_state(canonical: &Bytes) -> Option<DecodedState> {
    let state = pb::ApplicationState::decode(canonical.clone()).ok()?;
    let project = state.spec.as_ref().map_or("", |spec| &*spec.project);
    let status = state.status.as_ref();
    Some(DecodedState {
        traits: ScopeTraits {
            project: project.into(),
            labels: labels(&state).into(),
        },
        manifests: manifests(status.map_or(&[][..], |status| &status.resources)).ok()?,
    })
}

/// A state of a time as callers see it, whole.
pub(crate) fn to_application_then(
    snapshot: Snapshot,
) -> Result<pb::Application, prost::DecodeError> {
    let state = pb::ApplicationState::decode(snapshot.canonical)?;
    let mut application = whole(state);
    placed(&mut application, snapshot.key, &snapshot.uid);
    application.resource_version = snapshot.resource_version;
    application.received_at = Some(millis_to_timestamp(snapshot.received_at));
    Ok(application)
}

/// Two times of an application.
pub(crate) struct Diff {
    pub(crate) wanted: ApplicationRequest,
    pub(crate) from: i64,
    pub(crate) to: i64,
}

impl TryFrom<pb::DiffApplicationRequest> for Diff {
    type Error = FieldError;

    fn try_from(request: pb::DiffApplicationRequest) -> Result<Self, FieldError> {
        let from = time("from", request.from.as_ref())?;
        let to = time("to", request.to.as_ref())?;
        let wanted = ApplicationRequest::try_from(pb::GetApplicationRequest {
            runtime: request.runtime,
            namespace: request.namespace,
            name: request.name,
            cluster: request.cluster,
            at: None,
        })?;
        Ok(Self {
            wanted,
            from: from.ok_or_else(|| FieldError::new("from", "must be set"))?,
            to: to.unwrap_or(i64::MAX),
        })
    }
}

/// What differs between two states of an application.
pub(crate) fn to_diff(
    from: Snapshot,
    to: Snapshot,
) -> Result<pb::DiffApplicationResponse, prost::DecodeError> {
    let mut from = to_application_then(from)?;
    let mut to = to_application_then(to)?;
    let mut all = differences(resources_of(&mut from), resources_of(&mut to));
    let mut room = ANSWER_BYTES.saturating_sub(from.encoded_len() + to.encoded_len());
    let fit = all.iter().take_while(|difference| {
        let size = difference.encoded_len() + 8;
        let fits = size <= room;
        room = room.saturating_sub(size);
        fits
    });
    let left_off = all.len() - fit.count();
    all.truncate(all.len() - left_off);
    Ok(pb::DiffApplicationResponse {
        from: Some(from),
        to: Some(to),
        resources: all,
        resources_left_off: u32::try_from(left_off).unwrap_or(u32::MAX),
    })
}

/// The resources of an application, which then is what the basic view shows.
fn resources_of(application: &mut pb::Application) -> Vec<pb::Resource> {
    let detail = application.status.as_mut().map(split);
    let status = detail.and_then(|detail| detail.status);
    status.map(|status| status.resources).unwrap_or_default()
}

fn differences(from: Vec<pb::Resource>, to: Vec<pb::Resource>) -> Vec<pb::ResourceDifference> {
    let key = |resource: &pb::Resource| {
        let name = [
            &resource.group,
            &resource.kind,
            &resource.namespace,
            &resource.name,
        ];
        name.map(String::clone)
    };
    let mut all: BTreeMap<[String; 4], pb::ResourceDifference> = BTreeMap::new();
    for resource in from {
        let place = all.entry(key(&resource)).or_default();
        place.from = Some(resource);
    }
    for resource in to {
        let place = all.entry(key(&resource)).or_default();
        place.to = Some(resource);
    }
    all.retain(|_, difference| difference.from != difference.to);
    all.into_values().collect()
}

#[cfg(test)]
mod tests;
