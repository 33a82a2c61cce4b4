//! Between the contract and the domain.

use causeway_proto::inventory::v1 as pb;

use crate::{
    delta_base,
    manifest::{Content, Digest},
    object::{Evidence, ObjectKey},
    object_cache::{Entry, Presence},
    operations::{Knowledge, PendingOperations},
    reported_kind::ReportedKind,
    session::ReportContent,
};

/// A state or a deletion as it is sent, with its root digest; a deletion has none. Nothing where it is not to be told. `object` is the
/// entry's.
pub(crate) fn to_change<R: ReportedKind>(
    kind: &R,
    entry: &Entry<R>,
    object: Option<&R::Object>,
) -> Option<(pb::report::Change, Option<Digest>)> {
    match &entry.presence {
        Presence::Live(_) => {
            let (change, root) = kind.to_change(object?, &entry.enrichment())?;
            Some((change, Some(root)))
        }
        Presence::Gone(evidence) => {
            let evidence = match evidence {
                Evidence::Watched => pb::DeletionEvidence::Watched,
                Evidence::Listed => pb::DeletionEvidence::Listed,
            };
            let evidence = evidence.into();
            Some((pb::report::Change::Deleted(pb::Deleted { evidence }), None))
        }
    }
}

/// Operations that wait to be recorded, with what is known of them by now.
pub(crate) fn to_operations<R: ReportedKind>(
    kind: &R,
    entry: &Entry<R>,
    object: Option<&R::Object>,
) -> PendingOperations {
    entry.operations.pending(|record| match object {
        Some(object) => kind.complete(record, object, &entry.enrichment()),
        None => Knowledge::Whole,
    })
}

pub(crate) fn to_report(
    sequence: u64,
    key: &ObjectKey,
    resource_version: u64,
    (change, part): (pb::report::Change, ReportContent),
    operations: Vec<pb::OperationRecord>,
    traceparent: String,
) -> pb::ReportRequest {
    let report = pb::Report {
        sequence,
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        uid: key.uid.clone(),
        resource_version,
        change: Some(change),
        traceparent,
        operations,
        operations_only: part == ReportContent::Operations,
    };
    request(pb::report_request::Message::Report(report))
}

pub(crate) fn to_content(content: &Content, packs: bool) -> pb::ReportRequest {
    let manifest = if packs {
        delta_base::packed(content)
    } else {
        pb::Manifest {
            digest: content.digest.to_bytes(),
            content: content.bytes.clone(),
            ..pb::Manifest::default()
        }
    };
    request(pb::report_request::Message::Manifest(manifest))
}

pub(crate) fn heartbeat() -> pb::ReportRequest {
    request(pb::report_request::Message::Heartbeat(pb::Heartbeat {}))
}

pub(crate) fn request(message: pb::report_request::Message) -> pb::ReportRequest {
    pb::ReportRequest {
        message: Some(message),
    }
}
