//! Conversions to messages of the contract.

use causeway_proto::inventory::v1 as pb;

use crate::{
    delta_base,
    manifest::{Content, Digest},
    object::Evidence,
    object_cache::{Entry, Presence},
    operations::{Knowledge, PendingOperations},
    reported_kind::ReportedKind,
};

/// Converts an entry to a state with its root digest, or to a deletion. `None` while nothing is to be reported.
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

/// Converts pending operations, with the enrichment known by now.
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

pub(crate) fn to_content(content: &Content, compress: bool) -> pb::ReportRequest {
    let manifest = if compress {
        delta_base::packed(content)
    } else {
        pb::Manifest {
            digest: content.digest.to_bytes(),
            content: content.bytes.clone(),
            ..pb::Manifest::default()
        }
    };
    to_request(pb::report_request::Message::Manifest(manifest))
}

pub(crate) fn heartbeat() -> pb::ReportRequest {
    to_request(pb::report_request::Message::Heartbeat(pb::Heartbeat {}))
}

pub(crate) fn to_request(message: pb::report_request::Message) -> pb::ReportRequest {
    pb::ReportRequest {
        message: Some(message),
    }
}
