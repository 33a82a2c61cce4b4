//! Records denied calls in the audit log.

use causeway_proto::method::method;

use super::{AuthorizeError, Authorizer, Call};
use crate::audit::{AuditError, AuditRecord, ChainId, End, Entry, Intent, Outcome};

const NOT_FOUND: u32 = 5;

/// Whoever asks without a credential that is known.
const STRANGER: &str = "unknown";

impl Authorizer {
    /// Writes that a call of a known user was refused.
    pub(crate) async fn note_denial(
        &self,
        chain: impl Into<ChainId>,
        intent: Intent,
        why: &AuthorizeError,
        now: i64,
    ) -> Result<(), AuditError> {
        let code = if matches!(why, AuthorizeError::RuntimeUnknown(_)) {
            NOT_FOUND
        } else {
            End::PERMISSION_DENIED
        };
        let end = End::new(now, Outcome::Failed, code, why.to_string());
        let record = AuditRecord::denied(chain, intent, end);
        self.audit.write(Entry::Open(Box::new(record))).await?;
        Ok(())
    }

    /// Writes that a call of an unknown client was refused, or counts it where there are many. It is refused either way.
    pub(crate) async fn count_unknown_caller(&self, call: &Call, why: &AuthorizeError, now: i64) {
        let intent = call.asked_by(STRANGER.to_owned(), String::new());
        let entries = self.refusals.refused(intent, why.to_string(), now);
        self.write_refusals(entries).await;
    }

    /// Writes that a credential was refused which opens nothing any more, or counts it where there are many. It is refused either
    /// way.
    pub(crate) async fn note_ended(
        &self,
        chain: impl Into<ChainId>,
        intent: Intent,
        why: &AuthorizeError,
        now: i64,
    ) {
        let refusals = &self.refusals;
        let entries = refusals.refused_ended(chain.into(), intent, why.to_string(), now);
        self.write_refusals(entries).await;
    }

    async fn write_refusals(&self, entries: Vec<Entry>) {
        for entry in entries {
            if let Err(error) = self.audit.write(entry).await {
                tracing::error!(%error, "failed to record a refusal in the audit");
            }
        }
    }
}

impl Call {
    /// Builds the audit intent of the call.
    pub(crate) fn asked_by(&self, subject: String, credential: String) -> Intent {
        let permission = method(&self.method).map(|method| method.permission.clone());
        Intent {
            subject,
            credential,
            method: self.method.clone(),
            permission: permission.unwrap_or_default(),
            runtime: self.runtime.clone(),
            target: self.target.clone(),
            request_id: self.request_id.map(|id| id.to_string()).unwrap_or_default(),
            trace_id: self.trace_id.clone(),
            source_address: self.source_address.clone(),
        }
    }
}
