//! Converts ended operations, from the operation state and from the deployment history.

use causeway_argocd::application::{
    Application, Deployment, OperationState, ResourceResult, list_or_single, to_millis,
};
use causeway_proto::inventory::v1 as pb;
use causeway_reporting::Knowledge;

use super::{
    first_commit,
    state::{timestamp, to_operation_state},
};
use crate::enrichment::{Enrichment, Inputs};

const LONGEST_MESSAGE: usize = 1024;
const LONGEST_TEXT: usize = 256;
const MOST_REVISIONS: usize = 16;

/// Returns the ended operations, oldest first, each once.
pub(crate) fn to_ended(application: &Application) -> Vec<pb::OperationRecord> {
    let status = &application.status;
    let state = status.operation_state.as_ref();
    let own = state.and_then(|state| deployment_of(state, &status.history));
    // The history contains the deployment shortly before the operation ends.
    let past = status
        .history
        .iter()
        .filter(|deployment| own.is_none_or(|own| own.id != deployment.id));
    let mut ended: Vec<_> = past.filter_map(from_deployment).collect();
    ended.extend(state.and_then(|state| from_operation_state(state, own)));
    ended
}

/// Returns the deployment of an operation, which has the same start time.
fn deployment_of<'a>(state: &OperationState, history: &'a [Deployment]) -> Option<&'a Deployment> {
    let began = to_millis(state.started_at.as_deref())?;
    let newest = history.iter().rev();
    let mut same = newest.filter(|it| to_millis(it.deploy_started_at.as_deref()) == Some(began));
    same.next()
}

fn from_deployment(deployment: &Deployment) -> Option<pb::OperationRecord> {
    let finished_at = timestamp(deployment.deployed_at.as_deref())?;
    let started_at = timestamp(deployment.deploy_started_at.as_deref());
    let mut record = pb::OperationRecord {
        started_at: Some(started_at.unwrap_or(finished_at)),
        finished_at: Some(finished_at),
        phase: pb::OperationPhase::Succeeded.into(),
        revisions: list_or_single(&deployment.revision, &deployment.revisions),
        initiated_by: deployment.initiated_by.username.clone(),
        automated: deployment.initiated_by.automated,
        deployment_id: Some(deployment.id),
        ..pb::OperationRecord::default()
    };
    truncate_record(&mut record);
    Some(record)
}

fn from_operation_state(
    state: &OperationState,
    deployment: Option<&Deployment>,
) -> Option<pb::OperationRecord> {
    let finished_at = timestamp(state.finished_at.as_deref())?;
    // An operation that waits for a retry also has an end time, but is still running.
    if !["Succeeded", "Failed", "Error"].contains(&state.phase.as_str()) {
        return None;
    }
    // A dry run deploys nothing.
    if state.operation.sync.as_ref().is_some_and(|it| it.dry_run) {
        return None;
    }
    let operation = to_operation_state(state);
    let results = state.sync_result.iter().flat_map(|it| &it.resources);
    let mut record = pb::OperationRecord {
        started_at: operation.started_at.or(Some(finished_at)),
        finished_at: Some(finished_at),
        phase: operation.phase,
        message: operation.message,
        revisions: operation.revisions,
        initiated_by: operation.initiated_by,
        automated: operation.automated,
        request_id: operation.request_id,
        retry_count: operation.retry_count,
        resources: Some(counts(results)),
        deployment_id: deployment.map(|deployment| deployment.id),
        commit: None,
    };
    truncate_record(&mut record);
    Some(record)
}

fn counts<'a>(results: impl Iterator<Item = &'a ResourceResult>) -> pb::OperationCounts {
    let mut counts = pb::OperationCounts::default();
    for result in results {
        match result.status.as_str() {
            "Synced" => counts.synced += 1,
            "SyncFailed" => counts.failed += 1,
            "Pruned" => counts.pruned += 1,
            "PruneSkipped" => counts.prune_skipped += 1,
            _ => {}
        }
    }
    counts
}

/// Truncates a record, because many may be queued while the inventory is unavailable.
fn truncate_record(record: &mut pb::OperationRecord) {
    shorten(&mut record.message, LONGEST_MESSAGE);
    shorten(&mut record.initiated_by, LONGEST_TEXT);
    shorten(&mut record.request_id, LONGEST_TEXT);
    record.revisions.truncate(MOST_REVISIONS);
    for revision in &mut record.revisions {
        shorten(revision, LONGEST_TEXT);
    }
}

fn shorten(text: &mut String, longest: usize) {
    if text.len() > longest {
        text.truncate(text.floor_char_boundary(longest - '…'.len_utf8()));
        text.push('…');
    }
}

/// Adds the commit of an operation from the enrichment.
pub(crate) fn complete(
    record: &mut pb::OperationRecord,
    application: &Application,
    enrichment: &Enrichment,
) -> Knowledge {
    record.commit = first_commit(&record.revisions, enrichment);
    if let Some(commit) = &mut record.commit {
        shorten(&mut commit.author, LONGEST_TEXT);
        shorten(&mut commit.message, LONGEST_MESSAGE);
    }
    let asked =
        enrichment.inputs == Inputs::default() || enrichment.inputs == Inputs::of(application);
    let nothing_more = enrichment.is_whole() && asked;
    if record.commit.is_some() || nothing_more {
        Knowledge::Whole
    } else {
        Knowledge::Partial
    }
}

#[cfg(test)]
mod tests;
