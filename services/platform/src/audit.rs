//! The audit: who asked for what and how it ended. A row is written before its call may go on; its first outcome stays.
//!
//! Rows of many calls are committed together, so that a disk's slowness is shared and not added up.

use std::sync::Arc;

use causeway_proto::ids::AccountId;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use crate::store::{Store, StoreError};

/// How many entries wait at most; beyond that callers wait.
const QUEUE: usize = 1024;
/// How many entries one commit holds at most.
const BATCH: usize = 256;
/// Longer texts of a call are cut to this many bytes.
const TEXT_BYTES: usize = 256;
/// Longer messages of an outcome are cut to this many bytes.
const MESSAGE_BYTES: usize = 1024;

/// The three ways that a call can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It took effect.
    Succeeded,
    /// It had no effect.
    Failed,
    /// Nobody knows.
    Unknown,
}

/// How and when a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
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
pub enum Verdict {
    /// It may go on.
    Allowed,
    /// It was refused before it was made.
    Denied,
}

/// What a call says of itself; every text at most 256 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Intent {
    /// Who asks, for example `user:admin`.
    pub subject: String,
    /// Which RPC.
    pub method: String,
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

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// Whose row it is.
    pub account: AccountId,
    /// Its id, in the order of time.
    pub audit_id: Uuid,
    /// When it was written, in milliseconds since 1970.
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
    /// A new row.
    Open(Box<AuditRecord>),
    /// The outcome of a row.
    Close {
        /// The row.
        audit_id: Uuid,
        /// How it ended.
        end: End,
    },
}

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// It is durable.
    Done,
    /// The row had an outcome already, which stays.
    Kept,
    /// There is no such row.
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

impl Intent {
    /// Cuts every text to its bound.
    pub fn bounded(mut self) -> Self {
        let texts = [
            &mut self.subject,
            &mut self.method,
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
    /// An end whose message is cut to its bound.
    pub fn new(ended_at: i64, outcome: Outcome, code: u32, mut message: String) -> Self {
        cut(&mut message, MESSAGE_BYTES);
        Self {
            ended_at,
            outcome,
            code,
            message,
        }
    }
}

impl AuditRecord {
    /// A row for a call that may go on.
    pub fn allowed(account: AccountId, intent: Intent, now: i64) -> Self {
        Self {
            account,
            audit_id: Uuid::now_v7(),
            intended_at: now,
            intent: intent.bounded(),
            verdict: Verdict::Allowed,
            end: None,
        }
    }

    /// A row for a call that is refused: it has its end already.
    pub fn denied(account: AccountId, intent: Intent, end: End) -> Self {
        let now = end.ended_at;
        Self {
            verdict: Verdict::Denied,
            end: Some(end),
            ..Self::allowed(account, intent, now)
        }
    }
}

fn cut(text: &mut String, bytes: usize) {
    let end = (0..=bytes.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    text.truncate(end.unwrap_or(0));
}

type Waiting = (Entry, oneshot::Sender<Result<Written, AuditError>>);

/// Writes entries and waits until they are durable. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct AuditLog {
    entries: mpsc::Sender<Waiting>,
}

/// Commits what [`AuditLog`] is given, until the last of its clones is gone.
#[derive(Debug)]
pub(crate) struct AuditWriter {
    entries: mpsc::Receiver<Waiting>,
}

/// A log and the loop that writes it.
pub(crate) fn open() -> (AuditLog, AuditWriter) {
    let (sender, entries) = mpsc::channel(QUEUE);
    (AuditLog { entries: sender }, AuditWriter { entries })
}

impl AuditLog {
    /// Writes one entry; when this answers it is durable.
    pub(crate) async fn write(&self, entry: Entry) -> Result<Written, AuditError> {
        let (answer, written) = oneshot::channel();
        let sent = self.entries.send((entry, answer)).await;
        sent.map_err(|_| AuditError::Stopping)?;
        written.await.map_err(|_| AuditError::Stopping)?
    }
}

impl AuditWriter {
    /// Commits entries in the order in which they came.
    pub(crate) async fn run(mut self, store: Arc<dyn Store>) {
        let mut waiting = Vec::with_capacity(BATCH);
        while self.entries.recv_many(&mut waiting, BATCH).await > 0 {
            let (entries, answers): (Vec<_>, Vec<_>) = waiting.drain(..).unzip();
            answer(store.write_audit(entries).await, answers);
        }
    }
}

fn answer(
    result: Result<Vec<Written>, StoreError>,
    answers: Vec<oneshot::Sender<Result<Written, AuditError>>>,
) {
    let written = result.unwrap_or_else(|error| {
        tracing::error!(error = %format!("{:#}", anyhow::Error::from(error)), "the audit cannot be written");
        Vec::new()
    });
    let mut written = written.into_iter();
    for waiting in answers {
        // A caller that gave up meanwhile does not want its answer; its entry is written all the same.
        let _ = waiting.send(written.next().ok_or(AuditError::Store));
    }
}

#[cfg(test)]
mod tests;
