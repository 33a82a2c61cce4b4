//! Reported states of resources and events into stored ones.
//!
//! A stored resource is two encoded halves of one `LiveResource`, as applications have them: what the basic view shows and what
//! the full view adds.

mod bounds;
pub(crate) mod page;

use std::sync::Arc;

use bytes::Bytes;
use causeway_proto::{
    inventory::v1::{self as pb, resource_state::Detail},
    time::{millis_to_timestamp, timestamp_to_millis},
};
use prost::Message as _;

pub(crate) use self::bounds::is_time;
use crate::{
    application::{
        Health, Labels,
        convert::{STATE_BYTES, StateError, encoded::EncodedState},
        is_label, is_value,
    },
    convert::{to_health, unknown_state},
    digest::Digest,
    event::{Event, Regarding},
    image::ImageName,
    report::{FieldError, ReportedState},
    resource::{ApplicationName, Resource},
};

/// Checks a reported state, decoded and as it came, and prepares it for the store.
pub(crate) fn to_stated(
    mut state: pb::ResourceState,
    encoded: &Bytes,
) -> Result<ReportedState, StateError> {
    let size = encoded.len();
    if size > STATE_BYTES {
        let problem = format!("has {size} bytes: at most {STATE_BYTES} are kept");
        return Err(StateError::TooLarge(FieldError::new("resource", problem)));
    }
    let claimed = std::mem::take(&mut state.root_digest);
    let encoded = EncodedState::verify("resource.root_digest", &claimed, encoded)?;
    let root_digest = encoded.root_digest;
    bounds::check(&state)?;
    let application = state.application.take().map(to_application_name);
    if let Some(Detail::Event(event)) = &state.detail {
        let event = to_event(event, application, root_digest)?;
        return Ok(ReportedState::Event(Box::new(event)));
    }
    let stated = to_resource(state, application, root_digest)?;
    Ok(ReportedState::Resource(Box::new(stated)))
}

fn to_application_name(application: pb::ApplicationReference) -> ApplicationName {
    ApplicationName {
        cluster: application.cluster.into(),
        namespace: application.namespace.into(),
        name: application.name.into(),
    }
}

fn to_event(
    event: &pb::KubernetesEvent,
    application: Option<ApplicationName>,
    root_digest: Digest,
) -> Result<Event, FieldError> {
    let field = "resource.event.regarding";
    let regarding = event.regarding.as_ref();
    let regarding = regarding.ok_or_else(|| FieldError::new(field, "must be set"))?;
    if regarding.kind.is_empty() || regarding.name.is_empty() {
        return Err(FieldError::new(field, "must have a kind and a name"));
    }
    Ok(Event {
        application,
        regarding: Regarding {
            kind: regarding.kind.as_str().into(),
            namespace: regarding.namespace.as_str().into(),
            name: regarding.name.as_str().into(),
        },
        last_seen: event
            .last_seen
            .as_ref()
            .map_or(i64::MAX, timestamp_to_millis),
        root_digest,
        content: event.encode_to_vec().into(),
    })
}

fn to_resource(
    state: pb::ResourceState,
    application: Option<ApplicationName>,
    root_digest: Digest,
) -> Result<Resource, FieldError> {
    let images = state.images.iter().map(String::as_str);
    let images = match &state.detail {
        Some(Detail::Rollout(rollout)) => {
            let revisions = rollout.revisions.iter();
            let all = revisions.flat_map(|revision| revision.images.iter().map(String::as_str));
            ImageName::all(images.chain(all))
        }
        _ => ImageName::all(images),
    };
    Ok(Resource {
        group: state.group.as_str().into(),
        kind: state.kind.as_str().into(),
        application,
        labels: labels(&state),
        health: health(&state)?,
        root_digest,
        manifest: manifest(&state)?,
        images,
        detail: halves_detail(&state),
        basic: basic(state),
    })
}

/// Those that a cluster can have.
fn labels(state: &pb::ResourceState) -> Labels {
    let own = state.labels.iter();
    let known = own.filter(|(label, value)| is_label(label) && is_value(value));
    let owned = |(label, value): (&String, &String)| (label.clone(), value.clone());
    Arc::new(known.map(owned).collect())
}

fn health(state: &pb::ResourceState) -> Result<Health, FieldError> {
    let code = state.health.as_ref().map_or(0, |health| health.status);
    to_health(code).ok_or_else(|| unknown_state("resource.health.status", code))
}

fn manifest(state: &pb::ResourceState) -> Result<Option<Digest>, FieldError> {
    let digest = &state.manifest_digest;
    if digest.is_empty() {
        return Ok(None);
    }
    Digest::try_from(&digest[..])
        .map(Some)
        .map_err(|_| FieldError::new("resource.manifest_digest", "must have 32 bytes or none"))
}

/// What the full view adds.
fn halves_detail(state: &pb::ResourceState) -> Bytes {
    use pb::live_resource::Detail as Live;
    let detail = match &state.detail {
        Some(Detail::Rollout(rollout)) => Live::Rollout(pb::Rollout {
            revisions: rollout.revisions.clone(),
            ..pb::Rollout::default()
        }),
        Some(Detail::AnalysisRun(run)) => Live::AnalysisRun(pb::AnalysisRun {
            metrics: run.metrics.clone(),
            ..pb::AnalysisRun::default()
        }),
        Some(Detail::Workflow(workflow)) => Live::Workflow(pb::Workflow {
            nodes: workflow.nodes.clone(),
            ..pb::Workflow::default()
        }),
        Some(Detail::ReplicaSet(_) | Detail::Event(_)) | None => return Bytes::new(),
    };
    let detail = pb::LiveResource {
        detail: Some(detail),
        ..pb::LiveResource::default()
    };
    detail.encode_to_vec().into()
}

fn basic(state: pb::ResourceState) -> Bytes {
    use pb::live_resource::Detail as Live;
    let detail = match state.detail {
        Some(Detail::Rollout(mut rollout)) => {
            rollout.revisions.clear();
            Some(Live::Rollout(rollout))
        }
        Some(Detail::ReplicaSet(set)) => Some(Live::ReplicaSet(set)),
        Some(Detail::AnalysisRun(mut run)) => {
            run.metrics.clear();
            Some(Live::AnalysisRun(run))
        }
        Some(Detail::Workflow(mut workflow)) => {
            workflow.nodes.clear();
            Some(Live::Workflow(workflow))
        }
        Some(Detail::Event(_)) | None => None,
    };
    let moment = |millis: i64| (millis > 0).then(|| millis_to_timestamp(millis));
    let basic = pb::LiveResource {
        labels: state.labels,
        created_at: moment(state.created_at_ms),
        deletion_requested_at: moment(state.deletion_requested_at_ms),
        group: state.group,
        version: state.version,
        kind: state.kind,
        owners: state.owners,
        health: state.health,
        images: state.images,
        manifest_digest: state.manifest_digest,
        detail,
        ..pb::LiveResource::default()
    };
    basic.encode_to_vec().into()
}

#[cfg(test)]
mod tests;
