//! Reported states into stored ones, and back into applications.
//!
//! A stored state is two encoded halves of one `Application`: what the basic view shows, and what the full view adds. Messages
//! merge when their encodings are joined, so the whole needs no third copy.

mod details;
pub(crate) mod encoded;
pub(crate) mod facets;
pub(crate) mod filter;
mod row;

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use causeway_proto::{
    inventory::v1 as pb,
    time::{millis_to_timestamp, timestamp_to_millis},
};
use prost::Message as _;

use crate::{
    application::{
        Details, Key, Operation, Progress, Record, ScopeTraits, Source, State, Summary, Uid, View,
        convert::encoded::EncodedState, is_label, is_value,
    },
    convert::{LONGEST_NAME, short, to_health, to_sync, unknown_state},
    digest::Digest,
    history::Phase,
    image::ImageName,
    report::FieldError,
};

/// How large a state may be, so that the application fits into a gRPC message of 4 MiB.
pub(crate) const STATE_BYTES: usize = (4 << 20) - (64 << 10);
const MOST_LABELS: usize = 1_000;
const MOST_RESOURCES: usize = 20_000;
const MOST_ENTRIES: usize = 10_000;

/// Why a state is of no use.
pub(crate) enum StateError {
    Field(FieldError),
    TooLarge(FieldError),
}

impl From<FieldError> for StateError {
    fn from(error: FieldError) -> Self {
        Self::Field(error)
    }
}

/// Checks a reported state, decoded and as it came, and prepares it for the store.
pub(crate) fn to_state(
    mut state: pb::ApplicationState,
    encoded: &Bytes,
) -> Result<State, StateError> {
    check_size(encoded.len())?;
    let claimed = std::mem::take(&mut state.root_digest);
    let encoded = EncodedState::verify("application.root_digest", &claimed, encoded)?;
    to_verified_state(state, encoded)
}

fn check_size(size: usize) -> Result<(), StateError> {
    if size > STATE_BYTES {
        let problem = format!("has {size} bytes: at most {STATE_BYTES} are kept");
        return Err(StateError::TooLarge(FieldError::new(
            "application",
            problem,
        )));
    }
    Ok(())
}

/// Prepares a decoded state whose digest was verified for the store.
pub(crate) fn to_verified_state(
    mut state: pb::ApplicationState,
    encoded: EncodedState,
) -> Result<State, StateError> {
    check_size(EncodedState::HEAD + encoded.canonical.len())?;
    // The row has the digest in a column of its own.
    state.root_digest = Bytes::new();
    let status = state.status.as_ref();
    check_lengths(&state)?;
    let mut summary = Summary {
        traits: ScopeTraits {
            project: project(&state)?.into(),
            labels: Arc::new(labels(&state)),
        },
        sync: sync(status)?,
        health: health(status)?,
        source: source(&state),
        details: Details::default(),
    };
    let sync = status.and_then(|status| status.sync.as_ref());
    let revisions = sync.map_or_else(Vec::new, |sync| sync.revisions.clone());
    let operation = operation(status);
    let manifests = manifests(status.map_or(&[][..], |status| &status.resources))?;
    let images = images(status);
    let (basic, detail) = halves(state);
    summary.details = details(&basic);
    Ok(State {
        summary,
        root_digest: encoded.root_digest,
        canonical: encoded.canonical,
        patch: None,
        progress: Box::new(Progress {
            revisions,
            operation,
        }),
        manifests,
        images,
        basic,
        detail,
    })
}

fn check_lengths(state: &pb::ApplicationState) -> Result<(), FieldError> {
    let none = pb::ApplicationStatus::default();
    let status = state.status.as_ref().unwrap_or(&none);
    let counts = [
        ("labels", state.labels.len(), MOST_LABELS),
        ("status.resources", status.resources.len(), MOST_RESOURCES),
        ("status.history", status.history.len(), MOST_ENTRIES),
        ("status.images", status.images.len(), MOST_ENTRIES),
        ("status.conditions", status.conditions.len(), MOST_ENTRIES),
        ("status.errors", status.errors.len(), MOST_ENTRIES),
        ("status.omissions", status.omissions.len(), MOST_ENTRIES),
    ];
    for (field, count, most) in counts {
        if count > most {
            let problem = format!("has {count} entries: at most {most} are kept");
            return Err(FieldError::new(format!("application.{field}"), problem));
        }
    }
    Ok(())
}

/// Those that a cluster can have.
pub(crate) fn labels(state: &pb::ApplicationState) -> BTreeMap<String, String> {
    let own = state.labels.iter();
    let known = own.filter(|(label, value)| is_label(label) && is_value(value));
    let owned = |(label, value): (&String, &String)| (label.clone(), value.clone());
    known.map(owned).collect()
}

fn source(state: &pb::ApplicationState) -> Source {
    let sources = state.spec.as_ref().map_or(&[][..], |spec| &spec.sources);
    match sources {
        [] => Source::Unspecified,
        [one] if one.chart.is_empty() => Source::Git,
        [_] => Source::Helm,
        [_, _, ..] => Source::Several,
    }
}

fn project(state: &pb::ApplicationState) -> Result<&str, FieldError> {
    let project = state.spec.as_ref().map_or("", |spec| &spec.project);
    short("application.spec.project", project, LONGEST_NAME)?;
    Ok(project)
}

fn sync(status: Option<&pb::ApplicationStatus>) -> Result<crate::application::Sync, FieldError> {
    let code = status
        .and_then(|status| status.sync.as_ref())
        .map_or(0, |sync| sync.status);
    to_sync(code).ok_or_else(|| unknown_state("application.status.sync.status", code))
}

fn health(
    status: Option<&pb::ApplicationStatus>,
) -> Result<crate::application::Health, FieldError> {
    let code = status
        .and_then(|status| status.health.as_ref())
        .map_or(0, |health| health.status);
    to_health(code).ok_or_else(|| unknown_state("application.status.health.status", code))
}

fn operation(status: Option<&pb::ApplicationStatus>) -> Operation {
    let Some(operation) = status.and_then(|status| status.operation.as_ref()) else {
        return Operation::default();
    };
    let ended = operation.finished_at.as_ref().map(timestamp_to_millis);
    Operation {
        phase: to_phase(operation.phase()),
        ended_at: ended.unwrap_or(0),
    }
}

pub(crate) fn to_phase(phase: pb::OperationPhase) -> Phase {
    match phase {
        pb::OperationPhase::Unspecified => Phase::Unspecified,
        pb::OperationPhase::Running => Phase::Running,
        pb::OperationPhase::Terminating => Phase::Terminating,
        pb::OperationPhase::Succeeded => Phase::Succeeded,
        pb::OperationPhase::Failed => Phase::Failed,
        pb::OperationPhase::Error => Phase::Error,
    }
}

pub(crate) fn manifests(resources: &[pb::Resource]) -> Result<Vec<Digest>, FieldError> {
    let mut digests = Vec::new();
    for (index, resource) in resources.iter().enumerate() {
        let named = [
            ("live_digest", &resource.live_digest),
            ("desired_digest", &resource.desired_digest),
        ];
        for (field, bytes) in named.into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
            let digest = Digest::try_from(&bytes[..]).map_err(|_| {
                let field = format!("application.status.resources[{index}].{field}");
                FieldError::new(field, "must have 32 bytes or none")
            })?;
            digests.push(digest);
        }
    }
    digests.sort_unstable();
    digests.dedup();
    Ok(digests)
}

/// Those of the whole and those of its resources, which may say more of one.
fn images(status: Option<&pb::ApplicationStatus>) -> Vec<ImageName> {
    let Some(status) = status else {
        return Vec::new();
    };
    let resources = status.resources.iter();
    let theirs = resources.flat_map(|resource| &resource.images);
    ImageName::all(status.images.iter().chain(theirs).map(String::as_str))
}

fn halves(state: pb::ApplicationState) -> (Bytes, Bytes) {
    let mut basic = whole(state);
    let detail = basic.status.as_mut().map(split).unwrap_or_default();
    (basic.encode_to_vec().into(), detail.encode_to_vec().into())
}

/// A state as an application that is nowhere.
pub(crate) fn whole(state: pb::ApplicationState) -> pb::Application {
    pb::Application {
        labels: state.labels,
        created_at: (state.created_at_ms > 0).then(|| millis_to_timestamp(state.created_at_ms)),
        deletion_requested_at: (state.deletion_requested_at_ms > 0)
            .then(|| millis_to_timestamp(state.deletion_requested_at_ms)),
        spec: state.spec,
        status: state.status,
        ..pb::Application::default()
    }
}

/// Takes out of a status what only the full view shows.
pub(crate) fn split(status: &mut pb::ApplicationStatus) -> pb::Application {
    let operation = status.operation.as_mut().map(|operation| pb::Operation {
        resources: std::mem::take(&mut operation.resources),
        ..pb::Operation::default()
    });
    let detail = pb::ApplicationStatus {
        history: std::mem::take(&mut status.history),
        resources: std::mem::take(&mut status.resources),
        errors: std::mem::take(&mut status.errors),
        omissions: std::mem::take(&mut status.omissions),
        sources: std::mem::take(&mut status.sources),
        operation: operation.filter(|operation| !operation.resources.is_empty()),
        ..pb::ApplicationStatus::default()
    };
    pb::Application {
        status: Some(detail),
        ..pb::Application::default()
    }
}

/// The manifests that a stored application names, read whole; sorted.
pub(crate) fn named_manifests(record: &Record) -> Vec<Digest> {
    let whole = pb::Application::decode(record.detail.clone());
    let status = whole.ok().and_then(|whole| whole.status);
    let resources = status.map(|status| status.resources).unwrap_or_default();
    manifests(&resources).unwrap_or_default()
}

/// What lists show besides the summary, of the stored basic half; nothing of one that cannot be read.
pub(crate) fn details(basic: &[u8]) -> Details {
    details::Stored::decode(basic)
        .map(Details::from)
        .unwrap_or_default()
}

/// A stored application as callers see it, with as much as was read of it.
pub(crate) fn to_application(record: Record) -> Result<pb::Application, prost::DecodeError> {
    let mut application = pb::Application::decode(record.basic)?;
    application.merge(record.detail)?;
    placed(&mut application, record.key, &record.uid);
    application.resource_version = record.resource_version;
    application.received_at = Some(millis_to_timestamp(record.received_at));
    Ok(application)
}

/// The same with as much as a view shows.
pub(crate) fn to_shown(record: Record, view: View) -> Result<pb::Application, prost::DecodeError> {
    let application = to_application(record)?;
    Ok(match view {
        View::Row => row::to_row(application),
        View::Basic | View::Full => application,
    })
}

/// Says since when the runtime is not heard, if it is not.
pub(crate) fn with_staleness(
    application: pb::Application,
    stale_since: Option<i64>,
) -> pb::Application {
    pb::Application {
        stale_since: stale_since.map(millis_to_timestamp),
        ..application
    }
}

/// The same as it is sent: what is stored is joined with where it is, and read for the row view only.
pub(crate) fn to_encoded(
    record: Record,
    view: View,
    stale_since: Option<i64>,
) -> Result<Bytes, prost::DecodeError> {
    match view {
        View::Row => {
            let application = with_staleness(to_shown(record, view)?, stale_since);
            Ok(application.encode_to_vec().into())
        }
        View::Basic | View::Full => Ok(joined(record, stale_since)),
    }
}

fn joined(record: Record, stale_since: Option<i64>) -> Bytes {
    let mut place = pb::Application {
        resource_version: record.resource_version,
        received_at: Some(millis_to_timestamp(record.received_at)),
        stale_since: stale_since.map(millis_to_timestamp),
        ..pb::Application::default()
    };
    placed(&mut place, record.key, &record.uid);
    let size = record.basic.len() + record.detail.len() + place.encoded_len();
    let mut encoded = Vec::with_capacity(size);
    encoded.extend_from_slice(&record.basic);
    encoded.extend_from_slice(&record.detail);
    place
        .encode(&mut encoded)
        .expect("a vector takes all that is written to it");
    encoded.into()
}

/// Says where an application is.
pub(crate) fn placed(application: &mut pb::Application, key: Key, uid: &Uid) {
    application.runtime = key.runtime_name;
    application.cluster = key.cluster;
    application.namespace = key.namespace;
    application.name = key.name;
    application.uid = uid.as_str().to_owned();
}

/// The images that stored halves tell of, and the state that they were made of, if its digest is this one.
pub(crate) fn restored(
    basic: &[u8],
    detail: &[u8],
    digest: Digest,
) -> Option<(Vec<ImageName>, Option<State>)> {
    let mut application = pb::Application::decode(basic).ok()?;
    application.merge(detail).ok()?;
    let millis =
        |time: &Option<prost_types::Timestamp>| time.as_ref().map_or(0, timestamp_to_millis);
    let state = pb::ApplicationState {
        root_digest: Bytes::copy_from_slice(digest.as_bytes()),
        created_at_ms: millis(&application.created_at),
        deletion_requested_at_ms: millis(&application.deletion_requested_at),
        labels: application.labels,
        spec: application.spec,
        status: application.status,
    };
    let images = images(state.status.as_ref());
    let encoded = state.encode_to_vec().into();
    Some((images, to_state(state, &encoded).ok()))
}
