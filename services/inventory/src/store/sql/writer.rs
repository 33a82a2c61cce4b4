//! The only one that writes. What arrives while a commit is under way goes into the next one together, so that one fsync serves
//! many reports; nothing is answered before it.

use std::{collections::HashMap, sync::Arc, time::SystemTime};

use bytes::Bytes;
use causeway_database::{Database, Error, is_unavailable};
use causeway_proto::{ids::AccountId, time};
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc, oneshot},
    time::Instant,
};

use super::{
    Commits, StoreError, Write,
    batch::{Batch, Recall},
};
use crate::{metrics::Metrics, store::Outcome};

/// What replicas tell each other: that there are changes.
pub(super) const CHANGES: &str = "changes";
const BATCH_JOBS: usize = 512;

/// A write and who waits for it.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) write: Write,
    /// The content that it brings, compressed; empty where it brings none.
    pub(super) packed: Bytes,
    pub(super) reply: oneshot::Sender<Result<Outcome, StoreError>>,
    /// Its share of the memory that queued writes may take.
    pub(super) _room: OwnedSemaphorePermit,
}

pub(super) struct Writer {
    database: Database,
    queue: mpsc::Receiver<Job>,
    commits: Arc<Commits>,
    memory: Recall,
    metrics: Metrics,
}

/// What a transaction did: the outcome of each write, and the last change of each account.
type Written = (Vec<Outcome>, HashMap<AccountId, u64>);

impl Writer {
    pub(super) fn new(
        database: Database,
        queue: mpsc::Receiver<Job>,
        commits: Arc<Commits>,
        metrics: Metrics,
    ) -> Self {
        Self {
            database,
            queue,
            commits,
            memory: Recall::default(),
            metrics,
        }
    }

    /// Writes until the store is dropped.
    pub(super) async fn run(mut self) {
        let mut jobs = Vec::with_capacity(BATCH_JOBS);
        while self.queue.recv_many(&mut jobs, BATCH_JOBS).await > 0 {
            self.commit_all(std::mem::take(&mut jobs)).await;
        }
        self.database.close().await;
    }

    async fn commit_all(&mut self, jobs: Vec<Job>) {
        match self.commit(&jobs).await {
            Ok(outcomes) => reply_all(jobs, outcomes),
            // One of them may be at fault, but not where none can be written.
            Err(error) if jobs.len() > 1 && !is_unavailable(&error) => {
                tracing::warn!(%error, jobs = jobs.len(), "a commit failed, its writes are tried one by one");
                for job in jobs {
                    Box::pin(self.commit_one(job)).await;
                }
            }
            Err(error) => jobs.into_iter().for_each(|job| refuse(job, &error)),
        }
    }

    async fn commit_one(&mut self, job: Job) {
        match self.commit(std::slice::from_ref(&job)).await {
            Ok(outcomes) => reply_all(vec![job], outcomes),
            Err(error) => refuse(job, &error),
        }
    }

    async fn commit(&mut self, jobs: &[Job]) -> Result<Vec<Outcome>, Error> {
        let begun = Instant::now();
        match self.transact(jobs).await {
            Ok((outcomes, changed)) => {
                self.metrics.committed(jobs.len(), begun.elapsed());
                for (account, change) in &changed {
                    self.commits.tell(account, *change);
                }
                Ok(outcomes)
            }
            Err(error) => {
                // What was remembered may have been rolled back.
                self.memory = Recall::default();
                Err(error)
            }
        }
    }

    async fn transact(&mut self, jobs: &[Job]) -> Result<Written, Error> {
        if self.database.is_shared() {
            // Other replicas may have written since.
            self.memory = Recall::default();
        }
        let mut transaction = self.database.begin().await?;
        let mut batch = Batch {
            transaction: &mut transaction,
            memory: &mut self.memory,
            changed: HashMap::new(),
            told: Vec::new(),
            now: time::to_millis(SystemTime::now()),
        };
        let mut outcomes = Vec::with_capacity(jobs.len());
        for job in jobs {
            outcomes.push(batch.apply(&job.write, &job.packed).await?);
        }
        batch.finish().await?;
        let changed = batch.changed;
        if !changed.is_empty() {
            transaction.notify(CHANGES).await?;
        }
        transaction.commit().await?;
        Ok((outcomes, changed))
    }
}

fn reply_all(jobs: Vec<Job>, outcomes: Vec<Outcome>) {
    for (job, outcome) in jobs.into_iter().zip(outcomes) {
        // Whoever asked may be gone; the write stands.
        let _ = job.reply.send(Ok(outcome));
    }
}

fn refuse(job: Job, error: &Error) {
    let failed = if is_unavailable(error) {
        StoreError::Unavailable
    } else {
        StoreError::Failed(error.to_string().into())
    };
    let _ = job.reply.send(Err(failed));
}
