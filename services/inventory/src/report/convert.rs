//! Messages of a reporter's stream.

pub(crate) mod delta;

use std::{ops::RangeInclusive, time::Duration};

use bytes::Bytes;
use causeway_proto::{error::v1::Reason, inventory::v1 as pb};

use crate::{
    application::{
        HeldObject, ObjectName, Uid,
        convert::{
            StateError,
            encoded::{encoded_application, encoded_resource},
            to_state,
        },
    },
    convert::{LONGEST_NAME, named, short},
    deployment::convert::to_ended,
    digest::Digest,
    order::{Continuity, Position},
    report::{
        Fault, FieldError, Hello, Incoming, MANIFEST_BYTES, Outgoing, Part, Rejection, Report,
        ReportedState, WINDOW, WINDOW_BYTES, Welcome,
        convert::delta::{to_delta, unpacked},
        membership::Membership,
    },
    resource::convert::to_stated,
};

const LONGEST_UID: usize = 128;
const LONGEST_TRACE: usize = 128;
/// How a traceparent ends whose trace is recorded.
const SAMPLED: &str = "-01";
const LONGEST_VERSION: usize = 128;
const MOST_NAMESPACES: usize = 10_000;
/// How often a reporter may say that it says something.
const HEARTBEATS: RangeInclusive<u32> = 1_000..=10_000;
/// So many heartbeats may be missed.
const MISSED: u32 = 3;
/// Of a reporter that does not say how often it says something.
const SILENCE: Duration = Duration::from_secs(35);

/// A message of a reporter, and what it was decoded from; what cannot be used of it is named in it.
pub(crate) fn to_incoming(request: pb::ReportRequest, encoded: &Bytes) -> Incoming {
    use pb::report_request::Message;
    match request.message {
        Some(Message::Hello(hello)) => Incoming::Hello(to_hello(hello)),
        Some(Message::Report(report)) => Incoming::Report(to_report(report, encoded)),
        Some(Message::Manifest(manifest)) => to_manifest(manifest),
        Some(Message::Heartbeat(pb::Heartbeat {})) => Incoming::Heartbeat,
        None => Incoming::Unknown,
    }
}

fn to_hello(hello: pb::Hello) -> Result<Hello, FieldError> {
    named("cluster", &hello.cluster, LONGEST_NAME)?;
    short("version", &hello.version, LONGEST_VERSION)?;
    if hello.namespaces.len() > MOST_NAMESPACES {
        let problem = format!("has more than {MOST_NAMESPACES} entries");
        return Err(FieldError::new("namespaces", problem));
    }
    let restored = hello.continuity == i32::from(pb::StoreContinuity::Restored);
    Ok(Hello {
        instance: (hello.instance.parse())
            .map_err(|_| FieldError::new("instance", "must be a UUID"))?,
        kind: (hello.kind.parse()).map_err(|error: crate::kind::UnknownKind| {
            FieldError::new("kind", error.to_string())
        })?,
        cluster: hello.cluster.as_str().into(),
        namespaces: hello.namespaces,
        continuity: if restored {
            Continuity::Restored
        } else {
            Continuity::Continued
        },
        patience: patience(hello.heartbeat_ms)?,
        version: hello.version,
    })
}

fn patience(heartbeat_ms: u32) -> Result<Duration, FieldError> {
    if heartbeat_ms == 0 {
        return Ok(SILENCE);
    }
    if !HEARTBEATS.contains(&heartbeat_ms) {
        let (least, most) = HEARTBEATS.into_inner();
        let problem =
            format!("is {heartbeat_ms}: {least} to {most} is allowed, or 0 for every 10 s");
        return Err(FieldError::new("heartbeat_ms", problem));
    }
    Ok(MISSED * Duration::from_millis(heartbeat_ms.into()))
}

fn to_manifest(manifest: pb::Manifest) -> Incoming {
    match Digest::try_from(&manifest.digest[..]) {
        // Of what cannot be unpacked the digest is another one.
        Ok(digest) => {
            let content = unpacked(manifest, MANIFEST_BYTES);
            Incoming::Manifest(digest, content.unwrap_or_default())
        }
        Err(_) => Incoming::Unknown,
    }
}

fn to_report(report: pb::Report, encoded: &Bytes) -> Result<Report, Rejection> {
    let sequence = report.sequence;
    checked(report, encoded).map_err(|error| {
        let (fault, error) = match error {
            StateError::Field(error) => (Fault::Field, error),
            StateError::TooLarge(error) => (Fault::TooLarge, error),
        };
        Rejection {
            sequence,
            fault,
            error,
        }
    })
}

fn checked(report: pb::Report, encoded: &Bytes) -> Result<Report, StateError> {
    use pb::report::Change;
    short("namespace", &report.namespace, LONGEST_NAME)?;
    named("name", &report.name, LONGEST_NAME)?;
    named("uid", &report.uid, LONGEST_UID)?;
    short("traceparent", &report.traceparent, LONGEST_TRACE)?;
    if report.sequence == 0 {
        return Err(FieldError::new("sequence", "must be 1 or more").into());
    }
    if report.resource_version == 0 {
        return Err(FieldError::new("resource_version", "must be 1 or more").into());
    }
    let state = match report.change {
        Some(Change::Application(state)) => {
            named("namespace", &report.namespace, LONGEST_NAME)?;
            let state = to_state(state, &encoded_application(encoded))?;
            Some(ReportedState::Application(Box::new(state)))
        }
        Some(Change::Resource(state)) => Some(to_stated(state, &encoded_resource(encoded))?),
        Some(Change::Delta(delta)) => {
            named("namespace", &report.namespace, LONGEST_NAME)?;
            Some(ReportedState::Delta(Box::new(to_delta(delta)?)))
        }
        Some(Change::Deleted(_)) => None,
        None => {
            let problem = "must be an application, a resource or a deletion";
            return Err(FieldError::new("change", problem).into());
        }
    };
    Ok(Report {
        sequence: report.sequence,
        object: ObjectName {
            namespace: report.namespace.into(),
            name: report.name.into(),
        },
        uid: Uid::from(report.uid.as_str()),
        resource_version: if report.operations_only {
            Position::BESIDE
        } else {
            report.resource_version
        },
        state,
        operations: to_ended(report.operations)?,
        trace: Some(report.traceparent).filter(|trace| trace.ends_with(SAMPLED)),
    })
}

/// A message to a reporter.
pub(crate) fn to_response(outgoing: Outgoing) -> pb::ReportResponse {
    use pb::report_response::Message;
    let message = match outgoing {
        Outgoing::Welcome(welcome) => Message::Welcome(to_welcome(&welcome)),
        Outgoing::Held(objects, part) => Message::Held(pb::Held {
            objects: objects.iter().map(to_held).collect(),
            last: part == Part::Last,
        }),
        Outgoing::Acknowledged(sequences) => Message::Acknowledged(pb::Acknowledged { sequences }),
        Outgoing::Rejected(rejection) => Message::Rejected(to_rejected(rejection)),
        Outgoing::Wanted(sequence, digests) => Message::Wanted(pb::Wanted {
            sequence,
            digests: digests.iter().map(to_bytes).collect(),
        }),
        Outgoing::Members(members) => Message::Members(to_members(&members)),
        Outgoing::BaseWanted(sequence) => Message::BaseWanted(pb::BaseWanted { sequence }),
    };
    pb::ReportResponse {
        message: Some(message),
    }
}

fn to_welcome(welcome: &Welcome) -> pb::Welcome {
    pb::Welcome {
        epoch: Some(pb::Epoch {
            incarnation: welcome.incarnation,
            number: welcome.epoch,
        }),
        window: WINDOW,
        held_follows: true,
        members: Some(to_members(&welcome.members)),
        window_bytes: WINDOW_BYTES,
        takes_deltas: true,
    }
}

fn to_members(members: &Membership) -> pb::Members {
    let instances = members.instances.iter();
    pb::Members {
        instances: instances.map(|instance| instance.to_string()).collect(),
        version: members.version,
    }
}

fn to_held(held: &HeldObject) -> pb::HeldObject {
    pb::HeldObject {
        namespace: held.object.namespace.to_string(),
        name: held.object.name.to_string(),
        uid: held.uid.as_str().to_owned(),
        resource_version: held.resource_version,
        root_digest: to_bytes(&held.root_digest),
    }
}

fn to_rejected(rejection: Rejection) -> pb::Rejected {
    let code = match rejection.fault {
        Fault::Field => Reason::FieldInvalid,
        Fault::TooLarge => Reason::TooLarge,
        Fault::ManifestCorrupt => Reason::ManifestCorrupt,
    };
    pb::Rejected {
        sequence: rejection.sequence,
        reason: rejection.error.to_string(),
        code: code.into(),
        field: rejection.error.field,
    }
}

fn to_bytes(digest: &Digest) -> Bytes {
    Bytes::copy_from_slice(digest.as_bytes())
}
