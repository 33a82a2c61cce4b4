//! Decisions and the audit.

use causeway_proto::{platform::v1 as pb, time::millis_to_timestamp};
use uuid::Uuid;

use super::{FieldError, id};
use crate::{
    audit::{AuditRecord, End, Outcome, Verdict},
    authorization::{Call, Permit},
};

/// A call that wants an assertion.
pub(crate) fn call(request: pb::AuthorizeRequest) -> Result<Call, FieldError> {
    let digest = match request.request_digest.len() {
        0 => None,
        _ => Some(digest(&request.request_digest)?),
    };
    let request_id = match request.request_id.as_str() {
        "" => None,
        text => Some(
            text.parse()
                .map_err(|_| FieldError::new("request_id", "must be a UUID"))?,
        ),
    };
    Ok(Call {
        credential: request.credential,
        method: request.method,
        runtime: request.runtime,
        digest,
        request_id,
        target: request.target,
        trace_id: request.trace_id,
        source_address: request.source_address,
    })
}

fn digest(bytes: &[u8]) -> Result<[u8; 32], FieldError> {
    bytes
        .try_into()
        .map_err(|_| FieldError::new("request_digest", "must have 32 bytes"))
}

impl From<Permit> for pb::AuthorizeResponse {
    fn from(permit: Permit) -> Self {
        let expires_at = i64::try_from(permit.expires_at).unwrap_or(i64::MAX / 1000);
        Self {
            assertion: permit.assertion,
            expires_at: Some(millis_to_timestamp(expires_at.saturating_mul(1000))),
            audit_id: permit.audit_id.map(|id| id.to_string()).unwrap_or_default(),
            account: permit.account.to_string(),
            runtime_id: permit.runtime.map(|id| id.to_string()).unwrap_or_default(),
            subject: permit.subject,
        }
    }
}

/// How a call ended, and the row for it.
pub(crate) fn end(request: pb::RecordOutcomeRequest, now: i64) -> Result<(Uuid, End), FieldError> {
    let outcome = match request.outcome() {
        pb::Outcome::Succeeded => Outcome::Succeeded,
        pb::Outcome::Failed => Outcome::Failed,
        pb::Outcome::Unknown => Outcome::Unknown,
        pb::Outcome::Unspecified => {
            return Err(FieldError::new("outcome", "must be one of the three"));
        }
    };
    let audit_id = id("audit_id", &request.audit_id)?;
    Ok((
        audit_id,
        End::new(now, outcome, request.code, request.message),
    ))
}

impl From<AuditRecord> for pb::AuditRecord {
    fn from(record: AuditRecord) -> Self {
        let intent = record.intent;
        let outcome = match record.end.as_ref().map(|end| end.outcome) {
            None => pb::Outcome::Unspecified,
            Some(Outcome::Succeeded) => pb::Outcome::Succeeded,
            Some(Outcome::Failed) => pb::Outcome::Failed,
            Some(Outcome::Unknown) => pb::Outcome::Unknown,
        };
        Self {
            audit_id: record.audit_id.to_string(),
            intended_at: Some(millis_to_timestamp(record.intended_at)),
            ended_at: record
                .end
                .as_ref()
                .map(|end| millis_to_timestamp(end.ended_at)),
            subject: intent.subject,
            method: intent.method,
            runtime: intent.runtime,
            target: intent.target,
            request_id: intent.request_id,
            trace_id: intent.trace_id,
            source_address: intent.source_address,
            outcome: outcome.into(),
            code: record.end.as_ref().map_or(0, |end| end.code),
            message: record.end.map(|end| end.message).unwrap_or_default(),
            denied: record.verdict == Verdict::Denied,
        }
    }
}
