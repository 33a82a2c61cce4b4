//! Conversions of authorization and outcome messages.

use causeway_proto::{platform::v1 as pb, time::millis_to_timestamp};
use uuid::Uuid;

use crate::convert::{FieldError, id};
use crate::{
    audit::{End, Outcome},
    authorization::{Call, CallStage, Permit},
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
        stage: if request.going_on {
            CallStage::GoesOn
        } else {
            CallStage::Begins
        },
    })
}

/// A call that its caller will send to the part itself, and where the caller is.
pub(crate) fn direct_call(
    request: pb::IssueAssertionRequest,
    (source_address, trace_id): (String, String),
) -> Call {
    Call {
        credential: request.credential,
        method: request.method,
        runtime: request.runtime,
        digest: None,
        request_id: None,
        target: String::new(),
        trace_id,
        source_address,
        stage: CallStage::Begins,
    }
}

/// The permission for it.
pub(crate) fn issued(permit: Permit, part: &str) -> pb::IssueAssertionResponse {
    let permit = pb::AuthorizeResponse::from(permit);
    pb::IssueAssertionResponse {
        assertion: permit.assertion,
        expires_at: permit.expires_at,
        part: part.to_owned(),
    }
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
            scope_digest: permit.scope.to_be_bytes().to_vec().into(),
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
