//! Converts between domain types and protobuf messages.

mod chart;
mod errors;
mod fit;
mod operation;
mod source;
mod state;

use causeway_proto::inventory::v1 as pb;

pub(crate) use operation::{complete, to_ended};
pub(crate) use source::{application_key, to_commit, to_manifests, to_nodes};
pub(crate) use state::to_state;

use crate::enrichment::Enrichment;

/// Returns the commit of the first revision that has one.
fn first_commit(revisions: &[String], enrichment: &Enrichment) -> Option<pb::Commit> {
    revisions.iter().find_map(|revision| {
        let commit = enrichment.commits.get(revision)?;
        Some(state::to_commit(revision, commit))
    })
}

#[cfg(test)]
mod tests;
