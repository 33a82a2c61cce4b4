//! Audit writer task: group commit of entries from concurrent callers.
//!
//! Signs a chain after every thousand entries, and at the latest after five minutes.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{mpsc, oneshot},
    time::{MissedTickBehavior, interval},
};

use super::{AppendResult, AuditError, Entry, Seal};
use crate::{
    keys::ring::KeyRing,
    platform::now,
    store::{Store, StoreError},
};

/// Number of entries that wait at most; beyond that callers wait.
const QUEUE: usize = 1024;
/// How many entries one commit holds at most.
const BATCH: usize = 256;
/// A chain with so many entries behind its last checkpoint gets one.
const SEALED_ENTRIES: u64 = 1_000;
/// A chain with entries this old behind its last checkpoint gets one, in milliseconds.
const SEALED_AGE: i64 = 5 * 60 * 1000;
const LOOK: Duration = Duration::from_secs(30);
/// How often a checkpoint is tried again that another replica was quicker than.
const ATTEMPTS: usize = 5;
/// Number of chains that are signed at once.
const CHAINS: u32 = 500;

/// Entry with the sender of its result.
type QueuedEntry = (Entry, oneshot::Sender<Result<AppendResult, AuditError>>);

/// Writes entries and waits until they are durable. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct AuditLog {
    entries: mpsc::Sender<QueuedEntry>,
}

/// Commits what [`AuditLog`] is given, until the last of its clones is gone.
pub(crate) struct AuditWriter {
    entries: mpsc::Receiver<QueuedEntry>,
    store: Arc<dyn Store>,
    ring: Arc<KeyRing>,
    since_look: u64,
}

/// A log and the loop that writes it.
pub(crate) fn open(store: Arc<dyn Store>, ring: Arc<KeyRing>) -> (AuditLog, AuditWriter) {
    let (sender, entries) = mpsc::channel(QUEUE);
    let writer = AuditWriter {
        entries,
        store,
        ring,
        since_look: 0,
    };
    (AuditLog { entries: sender }, writer)
}

impl AuditLog {
    /// Writes one entry; when this answers it is durable.
    pub(crate) async fn write(&self, entry: Entry) -> Result<AppendResult, AuditError> {
        let (answer, written) = oneshot::channel();
        let sent = self.entries.send((entry, answer)).await;
        sent.map_err(|_| AuditError::Stopping)?;
        written.await.map_err(|_| AuditError::Stopping)?
    }
}

impl AuditWriter {
    /// Commits entries in the order in which they came, and signs all chains at its end.
    pub(crate) async fn run(mut self) {
        let mut waiting = Vec::with_capacity(BATCH);
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                taken = self.entries.recv_many(&mut waiting, BATCH) => match taken {
                    0 => break,
                    _ => self.commit(&mut waiting).await,
                },
                _ = look.tick() => self.seal(now() - SEALED_AGE).await,
            }
        }
        self.seal(i64::MAX).await;
    }

    async fn commit(&mut self, waiting: &mut Vec<QueuedEntry>) {
        let (entries, answers): (Vec<_>, Vec<_>) = waiting.drain(..).unzip();
        self.since_look += entries.len() as u64;
        answer(self.store.write_audit(entries).await, answers);
        // No chain can have come to its thousand before all of them together have.
        if self.since_look >= SEALED_ENTRIES / 4 {
            self.seal(now() - SEALED_AGE).await;
        }
    }

    /// Signs the chains with many entries behind their checkpoint, or with one from before a time.
    async fn seal(&mut self, before: i64) {
        self.since_look = 0;
        if let Err(error) = self.try_seal(before).await {
            tracing::error!(error = %format!("{error:#}"), "failed to sign an audit chain; retrying");
        }
    }

    async fn try_seal(&self, before: i64) -> anyhow::Result<()> {
        let due = |limit| self.store.unsealed_audit(SEALED_ENTRIES, before, limit);
        for _ in 0..ATTEMPTS {
            let heads = due(CHAINS).await?;
            if heads.is_empty() {
                break;
            }
            for head in heads {
                let at = now().max(head.at);
                let seal = Seal::sign(&head, at, &self.ring)?;
                self.store.seal_audit(&head, seal, at).await?;
            }
        }
        Ok(())
    }
}

fn answer(
    result: Result<Vec<AppendResult>, StoreError>,
    answers: Vec<oneshot::Sender<Result<AppendResult, AuditError>>>,
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
