//! How a call that changes something ended, as it goes into the audit.

use std::time::Duration;

use causeway_client::{Backoff, Peer, is_transient, reason};
use causeway_proto::{
    error::v1::Reason,
    platform::v1::{self as pb, authorization_service_client::AuthorizationServiceClient},
};
use tonic::{Code, Status};

use super::Authorizer;
use causeway_relay::{Delivery, OUTCOME};
use causeway_shell::status::EFFECT;
use http::HeaderMap;

const MESSAGE_BYTES: usize = 1024;
const ATTEMPTS: usize = 8;

/// An audit row without an outcome. Dropped so, it becomes "unknown": the caller went away.
pub(super) struct Pending {
    authorizer: Authorizer,
    audit_id: String,
    /// What the part says that it did.
    effect: String,
}

impl Pending {
    pub(super) fn new(authorizer: &Authorizer, audit_id: &str) -> Option<Self> {
        (!audit_id.is_empty()).then(|| Self {
            authorizer: authorizer.clone(),
            audit_id: audit_id.to_owned(),
            effect: String::new(),
        })
    }

    pub(super) fn effected(&mut self, headers: &HeaderMap) {
        self.effect = effect(headers);
    }

    pub(super) fn ended(mut self, status: &Status) {
        self.record(status);
    }

    fn record(&mut self, status: &Status) {
        let audit_id = std::mem::take(&mut self.audit_id);
        if audit_id.is_empty() {
            return;
        }
        // A session says what it did in the message of its status, other calls in a header.
        let message = if status.code() == Code::Ok && !self.effect.is_empty() {
            std::mem::take(&mut self.effect)
        } else {
            clip(status.message())
        };
        self.authorizer.record(pb::RecordOutcomeRequest {
            audit_id,
            outcome: outcome(status).into(),
            code: u32::try_from(i32::from(status.code())).unwrap_or(2),
            message,
        });
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.record(&Status::cancelled(
            "the caller went away before the call ended",
        ));
    }
}

/// What a status says about the effect.
fn outcome(status: &Status) -> pb::Outcome {
    let to_caller_status = status.metadata().get(OUTCOME.as_str());
    let to_caller_status = to_caller_status.map(|value| value.as_encoded_bytes());
    match status.code() {
        Code::Ok => pb::Outcome::Succeeded,
        _ if to_caller_status == Some(Delivery::Unknown.as_str().as_bytes()) => {
            pb::Outcome::Unknown
        }
        _ if to_caller_status == Some(Delivery::NotDelivered.as_str().as_bytes()) => {
            pb::Outcome::Failed
        }
        Code::Unavailable
            if matches!(
                reason(status),
                Some(Reason::TunnelLost | Reason::OutcomeUnknown)
            ) =>
        {
            pb::Outcome::Unknown
        }
        Code::Unknown
        | Code::Internal
        | Code::DataLoss
        | Code::DeadlineExceeded
        | Code::Cancelled => pb::Outcome::Unknown,
        Code::Unavailable
        | Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::ResourceExhausted
        | Code::FailedPrecondition
        | Code::Aborted
        | Code::OutOfRange
        | Code::Unimplemented
        | Code::Unauthenticated => pb::Outcome::Failed,
    }
}

/// The text of the header, if it is one of visible characters.
fn effect(headers: &HeaderMap) -> String {
    let text = headers.get(EFFECT).and_then(|value| value.to_str().ok());
    clip(text.unwrap_or_default())
}

fn clip(text: &str) -> String {
    let end = text.floor_char_boundary(MESSAGE_BYTES);
    text[..end].to_owned()
}

/// Tells the outcome, again where the platform is away for a moment.
pub(super) async fn record(
    mut platform: AuthorizationServiceClient<Peer>,
    request: pb::RecordOutcomeRequest,
) {
    let mut backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(5));
    for _ in 0..ATTEMPTS {
        match platform.record_outcome(request.clone()).await {
            Ok(_) => return,
            Err(status) if is_transient(&status) => {
                tokio::time::sleep(backoff.next_delay()).await;
            }
            Err(status) => {
                tracing::error!(audit.id = request.audit_id, %status, "the platform refused the outcome of a call");
                return;
            }
        }
    }
    tracing::error!(
        audit.id = request.audit_id,
        "the outcome of a call could not be recorded"
    );
}

#[cfg(test)]
mod tests;
