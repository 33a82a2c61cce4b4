//! Converts results to responses.

use causeway_proto::{proxy::v1 as pb, time::millis_to_timestamp};
use prost_types::Timestamp;

use crate::outcome::{Attempt, Outcome, RequestIdentity};

fn is_repeated(outcome: &Outcome) -> bool {
    outcome.origin == Attempt::EarlierCall
}

fn accepted_at(outcome: &Outcome) -> Option<Timestamp> {
    Some(millis_to_timestamp(outcome.accepted_at))
}

pub(crate) fn to_sync_response(
    asked: &RequestIdentity,
    outcome: &Outcome,
) -> pb::SyncApplicationResponse {
    pb::SyncApplicationResponse {
        request_id: asked.id.to_string(),
        repeated_request: is_repeated(outcome),
        resource_version: outcome.resource_version,
        accepted_at: accepted_at(outcome),
    }
}

pub(crate) fn to_refresh_response(
    asked: &RequestIdentity,
    outcome: &Outcome,
) -> pb::RefreshApplicationResponse {
    pb::RefreshApplicationResponse {
        resource_version: outcome.resource_version,
        request_id: asked.id.to_string(),
        repeated_request: is_repeated(outcome),
        accepted_at: accepted_at(outcome),
    }
}

pub(crate) fn to_terminate_response(
    asked: &RequestIdentity,
    outcome: &Outcome,
) -> pb::TerminateOperationResponse {
    pb::TerminateOperationResponse {
        request_id: asked.id.to_string(),
        repeated_request: is_repeated(outcome),
        resource_version: outcome.resource_version,
        accepted_at: accepted_at(outcome),
    }
}

pub(crate) fn to_rollback_response(
    asked: &RequestIdentity,
    outcome: &Outcome,
) -> pb::RollbackApplicationResponse {
    pb::RollbackApplicationResponse {
        request_id: asked.id.to_string(),
        repeated_request: is_repeated(outcome),
        resource_version: outcome.resource_version,
        accepted_at: accepted_at(outcome),
    }
}

pub(crate) fn to_delete_response(
    asked: &RequestIdentity,
    outcome: &Outcome,
) -> pb::DeleteApplicationResponse {
    pb::DeleteApplicationResponse {
        request_id: asked.id.to_string(),
        repeated_request: is_repeated(outcome),
        uid: outcome.uid.clone(),
        accepted_at: accepted_at(outcome),
    }
}

pub(crate) fn to_set_source_response(
    asked: &RequestIdentity,
    outcome: &Outcome,
) -> pb::SetApplicationSourceResponse {
    pb::SetApplicationSourceResponse {
        request_id: asked.id.to_string(),
        repeated_request: is_repeated(outcome),
        resource_version: outcome.resource_version,
        accepted_at: accepted_at(outcome),
        changed_fields: outcome.fields.clone(),
    }
}
