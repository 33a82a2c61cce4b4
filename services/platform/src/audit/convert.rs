//! Conversions of audit messages.

use std::time::SystemTime;

use causeway_assertion::PublicKey;
use causeway_proto::{
    ids::AccountId,
    platform::v1 as pb,
    time::{millis_to_timestamp, timestamp_to_millis},
};
use prost_types::Timestamp;
use uuid::Uuid;

use crate::audit::{
    AuditRecord, Body, ChainEntry, ChainId, EndFilter, Filter, Head, Intent, Outcome, Query, Seal,
};
use crate::convert::{FieldError, id, text};

/// Which chain is asked for: the account's own, or the platform's.
pub(crate) fn chain(account: &AccountId, platform: Option<()>) -> ChainId {
    match platform {
        Some(()) => ChainId::platform(),
        None => ChainId::from(account),
    }
}

/// At most so many calls before one.
pub(crate) fn audit_query(
    chain: ChainId,
    (before, limit): (Option<u64>, u32),
    request: pb::ListAuditRecordsRequest,
) -> Result<Query, FieldError> {
    let asked = |field, value: String| {
        if value.is_empty() {
            Ok(None)
        } else {
            text(field, value).map(Some)
        }
    };
    let end = end_filter(&request)?;
    Ok(Query {
        chain,
        limit,
        before,
        filter: Filter {
            since: millis(request.since.as_ref()),
            until: millis(request.until.as_ref()),
            subject: asked("subject", request.subject)?,
            method: asked("method", request.method)?,
            runtime: asked("runtime", request.runtime)?,
            target: asked("target", request.target)?,
            request_id: asked("request_id", request.request_id)?,
            end,
        },
    })
}

fn end_filter(request: &pb::ListAuditRecordsRequest) -> Result<Option<EndFilter>, FieldError> {
    let outcome = match request.outcome() {
        pb::Outcome::Unspecified => None,
        pb::Outcome::Succeeded => Some(EndFilter::Outcome(Outcome::Succeeded)),
        pb::Outcome::Failed => Some(EndFilter::Outcome(Outcome::Failed)),
        pb::Outcome::Unknown => Some(EndFilter::Outcome(Outcome::Unknown)),
    };
    let denied = request.denied.then_some(EndFilter::Denied);
    let pending = request.pending.then_some(EndFilter::Pending);
    let mut all = [outcome, denied, pending].into_iter().flatten();
    let end = all.next();
    match all.next() {
        None => Ok(end),
        Some(_) => Err(FieldError::new(
            "outcome",
            "only one of outcome, denied and pending can be asked for",
        )),
    }
}

fn millis(time: Option<&Timestamp>) -> Option<i64> {
    time.map(timestamp_to_millis)
}

/// The id of a call.
pub(crate) fn audit_id(text: &str) -> Result<Uuid, FieldError> {
    id("audit_id", text)
}

/// Entries from where on: a sequence number and a time.
pub(crate) fn export_from(request: &pb::ExportAuditEntriesRequest) -> (u64, Option<i64>) {
    (request.from_sequence, millis(request.since.as_ref()))
}

/// The ends of a chain, signed at a time.
pub(crate) fn audit_head(
    chain: &ChainId,
    sealed: Option<(Head, Seal, i64)>,
    root: &PublicKey,
) -> pb::GetAuditHeadResponse {
    let root_key = root.as_bytes().to_vec().into();
    let Some((head, seal, at)) = sealed else {
        return pb::GetAuditHeadResponse {
            chain: chain.to_string(),
            signed_at: Some(SystemTime::now().into()),
            root_key,
            ..Default::default()
        };
    };
    pb::GetAuditHeadResponse {
        chain: chain.to_string(),
        first_sequence: head.first,
        sequence: head.sequence,
        hash: head.hash.to_vec().into(),
        signed_at: Some(millis_to_timestamp(at)),
        seal: Some(seal.into()),
        root_key,
    }
}

impl From<AuditRecord> for pb::AuditRecord {
    fn from(record: AuditRecord) -> Self {
        let denied = record.is_denied();
        let intent = record.intent;
        let outcome = record
            .end
            .as_ref()
            .map_or(pb::Outcome::Unspecified, |end| end.outcome.into());
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
            denied,
            credential: intent.credential,
            permission: intent.permission,
            sequence: record.sequence,
        }
    }
}

impl From<Outcome> for pb::Outcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Succeeded => Self::Succeeded,
            Outcome::Failed => Self::Failed,
            Outcome::Unknown => Self::Unknown,
        }
    }
}

impl From<ChainEntry> for pb::AuditEntry {
    fn from(entry: ChainEntry) -> Self {
        Self {
            sequence: entry.sequence,
            at: Some(millis_to_timestamp(entry.at)),
            hash: entry.hash.to_vec().into(),
            body: Some(entry.body.into()),
        }
    }
}

impl From<Body> for pb::audit_entry::Body {
    fn from(body: Body) -> Self {
        match body {
            Body::Intent { audit_id, intent } => Self::Intent(to_intent(audit_id, intent)),
            Body::Denial {
                audit_id,
                intent,
                code,
                message,
            } => Self::Denial(pb::AuditDenial {
                intent: Some(to_intent(audit_id, intent)),
                code,
                message,
            }),
            Body::Outcome {
                audit_id,
                closes,
                outcome,
                code,
                message,
            } => Self::Outcome(pb::AuditOutcome {
                audit_id: audit_id.to_string(),
                closes,
                outcome: pb::Outcome::from(outcome).into(),
                code,
                message,
            }),
            Body::Checkpoint(seal) => Self::Checkpoint(seal.into()),
            Body::Retention { through, before } => Self::Retention(pb::AuditRetention {
                through,
                before: Some(millis_to_timestamp(before)),
            }),
        }
    }
}

fn to_intent(audit_id: Uuid, intent: Intent) -> pb::AuditIntent {
    pb::AuditIntent {
        audit_id: audit_id.to_string(),
        subject: intent.subject,
        credential: intent.credential,
        method: intent.method,
        permission: intent.permission,
        runtime: intent.runtime,
        target: intent.target,
        request_id: intent.request_id,
        trace_id: intent.trace_id,
        source_address: intent.source_address,
    }
}

impl From<Seal> for pb::AuditSeal {
    fn from(seal: Seal) -> Self {
        Self {
            hash: seal.hash.to_vec().into(),
            signing_key: Some(seal.key.into()),
            signature: seal.signature.into(),
        }
    }
}
