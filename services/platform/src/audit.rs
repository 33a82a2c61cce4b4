//! Audit log of calls and their outcomes. An intent is durable before its call proceeds; its first outcome is final.
//!
//! Each account has an append-only hash chain that the platform signs; see [`chain`] and [`seal`].

mod chain;
pub(crate) mod convert;
mod filter;
pub(crate) mod grpc;
mod reading;
mod refusals;
mod seal;
pub(crate) mod service;
pub(crate) mod sql;
mod writer;

use causeway_proto::{access::v1::Kind, method::methods};
use uuid::Uuid;

use self::chain::Framed;
pub(crate) use self::{
    chain::{Body, ChainEntry, ChainId, Hash, Head},
    filter::{EndFilter, Filter, Page, Query},
    reading::entries,
    refusals::RefusalCounter,
    seal::Seal,
    writer::{AuditLog, open},
};

/// A call whose outcome was not told for this long will not be told, in milliseconds.
const LATE_AFTER: i64 = 60 * 60 * 1000;
/// The same of a session.
const SESSION_LATE_AFTER: i64 = 24 * LATE_AFTER;
/// Longer texts of a call are cut to this many bytes.
const TEXT_BYTES: usize = 256;
/// Longer messages of an outcome are cut to this many bytes.
const MESSAGE_BYTES: usize = 1024;

/// The three ways that a call can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It took effect.
    Succeeded,
    /// It had no effect.
    Failed,
    /// Nobody knows.
    Unknown,
}

/// How and when a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct End {
    /// In milliseconds since 1970.
    pub ended_at: i64,
    /// What happened.
    pub outcome: Outcome,
    /// The gRPC status code's number.
    pub code: u32,
    /// The status message, at most 1 KiB.
    pub message: String,
}

/// Whether the platform let a call go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It may go on.
    Allowed,
    /// It was refused before it was made.
    Denied,
}

/// What a call says of itself; every text at most 256 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Intent {
    /// Who asks, for example `user:admin`.
    pub subject: String,
    /// What acts on the subject's behalf, for example `key:1f0c`; empty where nothing does.
    pub credential: String,
    /// Which RPC.
    pub method: String,
    /// The permission that is needed, for example `application.sync`.
    pub permission: String,
    /// The runtime's name; empty for the platform.
    pub runtime: String,
    /// What is touched.
    pub target: String,
    /// The client's id of the request.
    pub request_id: String,
    /// The trace.
    pub trace_id: String,
    /// Where the call came from.
    pub source_address: String,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuditRecord {
    /// In which chain it stands.
    pub chain: ChainId,
    /// The place of its intent in the chain; 0 until it is written.
    pub sequence: u64,
    /// Its id, in the order of time.
    pub audit_id: Uuid,
    /// When its intent was written, in milliseconds since 1970.
    pub intended_at: i64,
    /// What was asked.
    pub intent: Intent,
    /// Whether it was let go on.
    pub verdict: Verdict,
    /// How it ended; none while it is under way.
    pub end: Option<End>,
}

/// Something to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A new call, with its end where it has one already.
    Open(Box<AuditRecord>),
    /// The outcome of a call.
    Close {
        /// The call.
        audit_id: Uuid,
        /// How it ended.
        end: End,
    },
}

/// Times before which a call without an outcome is overdue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OverdueBounds {
    /// Of a call that was asked for before this time, in milliseconds since 1970.
    pub asked_before: i64,
    /// The same of a session, which lasts for as long as it is used.
    pub session_before: i64,
}

/// Result of writing an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppendResult {
    /// It is durable.
    Done,
    /// The call had an outcome already, which stays.
    Kept,
    /// There is no such call.
    NoRow,
}

/// Why an entry was not written.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The store failed; the cause is in the log.
    #[error("the audit cannot be written")]
    Store,
    /// The part is stopping.
    #[error("the platform is stopping: try again")]
    Stopping,
}

impl OverdueBounds {
    /// What is overdue at a time.
    pub(crate) fn at(now: i64) -> Self {
        Self {
            asked_before: now - LATE_AFTER,
            session_before: now - SESSION_LATE_AFTER,
        }
    }
}

/// The paths of all RPCs that open sessions.
pub(crate) fn sessions() -> Vec<&'static str> {
    let all = methods().values();
    let sessions = all.filter(|method| method.kind == Kind::Session);
    sessions.map(|method| method.path.as_str()).collect()
}

impl Outcome {
    /// As the contract counts them.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Succeeded => 1,
            Self::Failed => 2,
            Self::Unknown => 3,
        }
    }

    /// What [`Self::number`] gave.
    pub(crate) fn from_number(number: i64) -> Option<Self> {
        let all = [Self::Succeeded, Self::Failed, Self::Unknown];
        all.into_iter()
            .find(|outcome| i64::from(outcome.number()) == number)
    }
}

impl Intent {
    /// Cuts every text to its bound.
    pub(crate) fn bounded(mut self) -> Self {
        let texts = [
            &mut self.subject,
            &mut self.credential,
            &mut self.method,
            &mut self.permission,
            &mut self.runtime,
            &mut self.target,
            &mut self.request_id,
            &mut self.trace_id,
            &mut self.source_address,
        ];
        for text in texts {
            cut(text, TEXT_BYTES);
        }
        self
    }
}

impl End {
    /// The gRPC status code of a refusal.
    pub(crate) const PERMISSION_DENIED: u32 = 7;

    /// An end whose message is cut to its bound.
    pub(crate) fn new(ended_at: i64, outcome: Outcome, code: u32, mut message: String) -> Self {
        cut(&mut message, MESSAGE_BYTES);
        Self {
            ended_at,
            outcome,
            code,
            message,
        }
    }

    /// Writes it into the chain of its call, whose intent has this place.
    pub(crate) fn append_to(self, head: &mut Head, audit_id: Uuid, closes: u64) -> ChainEntry {
        let body = Body::Outcome {
            audit_id,
            closes,
            outcome: self.outcome,
            code: self.code,
            message: self.message,
        };
        head.append(self.ended_at, body)
    }

    /// True if it ended by a refusal of the part that it was for.
    pub(crate) fn is_denial(&self) -> bool {
        self.code == Self::PERMISSION_DENIED
    }
}

impl AuditRecord {
    /// A call that may go on.
    pub(crate) fn allowed(chain: impl Into<ChainId>, intent: Intent, now: i64) -> Self {
        Self {
            chain: chain.into(),
            sequence: 0,
            audit_id: Uuid::now_v7(),
            intended_at: now,
            intent: intent.bounded(),
            verdict: Verdict::Allowed,
            end: None,
        }
    }

    /// A call that is refused: it has its end already.
    pub(crate) fn denied(chain: impl Into<ChainId>, intent: Intent, end: End) -> Self {
        let now = end.ended_at;
        Self {
            verdict: Verdict::Denied,
            end: Some(end),
            ..Self::allowed(chain, intent, now)
        }
    }

    /// Writes the call into its chain: its intent or denial, and the outcome of one that has it already.
    pub(crate) fn append_to(self, head: &mut Head) -> Vec<ChainEntry> {
        let (audit_id, intent) = (self.audit_id, self.intent);
        match (self.verdict, self.end) {
            (Verdict::Denied, Some(end)) => {
                vec![head.append(self.intended_at, denial(audit_id, intent, end))]
            }
            (Verdict::Allowed | Verdict::Denied, end) => {
                let opened = head.append(self.intended_at, Body::Intent { audit_id, intent });
                let closes = opened.sequence;
                let closed = end.map(|end| end.append_to(head, audit_id, closes));
                [Some(opened), closed].into_iter().flatten().collect()
            }
        }
    }
}

fn denial(audit_id: Uuid, intent: Intent, end: End) -> Body {
    Body::Denial {
        audit_id,
        intent,
        code: end.code,
        message: end.message,
    }
}

/// Cuts a text to a bound. No database of ours keeps a NUL, and what is hashed must be what is kept.
fn cut(text: &mut String, bytes: usize) {
    text.retain(|character| character != '\0');
    let end = (0..=bytes.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    text.truncate(end.unwrap_or(0));
}

#[cfg(test)]
mod tests;
