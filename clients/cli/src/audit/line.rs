//! An entry as a line of JSON, from which it can be verified again.

use anyhow::{Context as _, bail};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_proto::{
    platform::v1::{self as pb, audit_entry::Body},
    time::{millis_to_timestamp, timestamp_to_millis},
};
use prost_types::Timestamp;
use serde::{Deserialize, Serialize};

/// The line. Times are milliseconds since 1970, bytes are base64.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Line {
    pub(super) chain: String,
    sequence: u64,
    at: i64,
    kind: String,
    hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    intent: Option<Intent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seal: Option<Seal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    through: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<i64>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Intent {
    subject: String,
    credential: String,
    method: String,
    permission: String,
    runtime: String,
    target: String,
    request_id: String,
    trace_id: String,
    source_address: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Seal {
    hash: String,
    key_id: String,
    public_key: String,
    not_before: i64,
    not_after: i64,
    root_signature: String,
    signature: String,
}

impl Line {
    pub(super) fn new(chain: &str, entry: pb::AuditEntry) -> Self {
        let line = Self {
            chain: chain.to_owned(),
            sequence: entry.sequence,
            at: millis(entry.at.as_ref()),
            hash: text(&entry.hash),
            ..Self::default()
        };
        match entry.body {
            Some(body) => line.with(body),
            None => line,
        }
    }

    fn with(self, body: Body) -> Self {
        match body {
            Body::Intent(intent) => Self {
                kind: "intent".to_owned(),
                audit_id: Some(intent.audit_id.clone()),
                intent: Some(intent.into()),
                ..self
            },
            Body::Denial(denial) => {
                let intent = denial.intent.unwrap_or_default();
                Self {
                    kind: "denial".to_owned(),
                    audit_id: Some(intent.audit_id.clone()),
                    intent: Some(intent.into()),
                    code: Some(denial.code),
                    message: Some(denial.message),
                    ..self
                }
            }
            Body::Outcome(outcome) => Self {
                kind: "outcome".to_owned(),
                audit_id: Some(outcome.audit_id),
                closes: Some(outcome.closes),
                outcome: Some(outcome.outcome),
                code: Some(outcome.code),
                message: Some(outcome.message),
                ..self
            },
            Body::Checkpoint(seal) => Self {
                kind: "checkpoint".to_owned(),
                seal: Some(seal.into()),
                ..self
            },
            Body::Retention(retention) => Self {
                kind: "retention".to_owned(),
                through: Some(retention.through),
                before: Some(millis(retention.before.as_ref())),
                ..self
            },
        }
    }

    /// The entry again.
    pub(super) fn into_entry(self) -> anyhow::Result<pb::AuditEntry> {
        Ok(pb::AuditEntry {
            sequence: self.sequence,
            at: Some(millis_to_timestamp(self.at)),
            hash: bytes(&self.hash)?,
            body: Some(self.into_body()?),
        })
    }

    fn into_body(self) -> anyhow::Result<Body> {
        let audit_id = self.audit_id.unwrap_or_default();
        let (code, message) = (
            self.code.unwrap_or_default(),
            self.message.unwrap_or_default(),
        );
        Ok(match self.kind.as_str() {
            "intent" => Body::Intent(self.intent.unwrap_or_default().into_proto(audit_id)),
            "denial" => Body::Denial(pb::AuditDenial {
                intent: Some(self.intent.unwrap_or_default().into_proto(audit_id)),
                code,
                message,
            }),
            "outcome" => Body::Outcome(pb::AuditOutcome {
                audit_id,
                closes: self.closes.unwrap_or_default(),
                outcome: self.outcome.unwrap_or_default(),
                code,
                message,
            }),
            "checkpoint" => Body::Checkpoint(self.seal.unwrap_or_default().into_proto()?),
            "retention" => Body::Retention(pb::AuditRetention {
                through: self.through.unwrap_or_default(),
                before: Some(millis_to_timestamp(self.before.unwrap_or_default())),
            }),
            other => bail!("'{other}' is no kind of entry"),
        })
    }
}

impl From<pb::AuditIntent> for Intent {
    fn from(intent: pb::AuditIntent) -> Self {
        Self {
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
}

impl Intent {
    fn into_proto(self, audit_id: String) -> pb::AuditIntent {
        pb::AuditIntent {
            audit_id,
            subject: self.subject,
            credential: self.credential,
            method: self.method,
            permission: self.permission,
            runtime: self.runtime,
            target: self.target,
            request_id: self.request_id,
            trace_id: self.trace_id,
            source_address: self.source_address,
        }
    }
}

impl From<pb::AuditSeal> for Seal {
    fn from(seal: pb::AuditSeal) -> Self {
        let key = seal.signing_key.unwrap_or_default();
        Self {
            hash: text(&seal.hash),
            key_id: key.key_id,
            public_key: text(&key.public_key),
            not_before: millis(key.not_before.as_ref()),
            not_after: millis(key.not_after.as_ref()),
            root_signature: text(&key.root_signature),
            signature: text(&seal.signature),
        }
    }
}

impl Seal {
    fn into_proto(self) -> anyhow::Result<pb::AuditSeal> {
        Ok(pb::AuditSeal {
            hash: bytes(&self.hash)?,
            signing_key: Some(pb::SigningKey {
                key_id: self.key_id,
                public_key: bytes(&self.public_key)?,
                not_before: Some(millis_to_timestamp(self.not_before)),
                not_after: Some(millis_to_timestamp(self.not_after)),
                root_signature: bytes(&self.root_signature)?,
                ..pb::SigningKey::default()
            }),
            signature: bytes(&self.signature)?,
        })
    }
}

fn millis(time: Option<&Timestamp>) -> i64 {
    time.map_or(0, timestamp_to_millis)
}

fn text(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

fn bytes<B: From<Vec<u8>>>(text: &str) -> anyhow::Result<B> {
    let decoded = BASE64_STANDARD.decode(text);
    Ok(decoded.context("not base64")?.into())
}
