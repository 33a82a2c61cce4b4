//! Between the contract and the domain.

mod source;
mod state;

use causeway_proto::inventory::v1 as pb;

pub(crate) use source::{application_key, to_commit, to_manifests, to_nodes};
pub(crate) use state::to_state;

use crate::{
    book::{Entry, Presence},
    enrichment::Enrichment,
    manifest::{Content, Digest},
    object::{Evidence, ObjectKey},
};

/// A state or a deletion as it is sent, with its root digest; a deletion has none.
pub(crate) fn to_change(entry: &Entry) -> (pb::report::Change, Option<Digest>) {
    match &entry.presence {
        Presence::Live(application) => {
            let (state, root) = to_state(application, &entry.enrichment);
            (pb::report::Change::Application(state), Some(root))
        }
        Presence::Gone(evidence) => {
            let evidence = match evidence {
                Evidence::Watched => pb::DeletionEvidence::Watched,
                Evidence::Listed => pb::DeletionEvidence::Listed,
            };
            let evidence = evidence.into();
            (pb::report::Change::Deleted(pb::Deleted { evidence }), None)
        }
    }
}

pub(crate) fn to_report(
    sequence: u64,
    key: &ObjectKey,
    resource_version: u64,
    change: pb::report::Change,
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
    };
    request(pb::report_request::Message::Report(report))
}

pub(crate) fn to_content(content: &Content) -> pb::ReportRequest {
    request(pb::report_request::Message::Manifest(pb::Manifest {
        digest: content.digest.to_bytes(),
        content: content.bytes.clone(),
    }))
}

pub(crate) fn heartbeat() -> pb::ReportRequest {
    request(pb::report_request::Message::Heartbeat(pb::Heartbeat {}))
}

pub(crate) fn request(message: pb::report_request::Message) -> pb::ReportRequest {
    pb::ReportRequest {
        message: Some(message),
    }
}

/// The commit of the first revision that has one.
fn first_commit(revisions: &[String], enrichment: &Enrichment) -> Option<pb::Commit> {
    revisions.iter().find_map(|revision| {
        let commit = enrichment.commits.get(revision)?;
        Some(state::to_commit(revision, commit))
    })
}

#[cfg(test)]
mod tests;
