//! Single writer task: batches queued writes into one transaction (group commit). Writes that arrive during a commit share the next
//! one, so that one fsync serves many reports. No write is acknowledged before its commit.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use causeway_database::{Database, Error, is_unavailable};
use causeway_proto::{ids::AccountId, time};
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc, oneshot, watch},
    time::{Instant, sleep_until},
};

use super::{
    CommitNotifier, StoreError,
    batch::{Batch, WriterCache},
    chunks,
    prepared_write::PreparedWrite,
    resource,
    state_cache::{CacheUpdate, StateCache},
};
use crate::{metrics::Metrics, store::Outcome};

/// Topic of change notifications between replicas.
pub(super) const CHANGES: &str = "changes";
const MAX_BATCH_JOBS: usize = 512;
/// Writes that have not started by then go into the next transaction: other replicas wait for the write lock meanwhile.
const MAX_BATCH_TIME: Duration = Duration::from_millis(500);
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Interval to look for propagation that another replica began and did not finish.
const PROPAGATION_INTERVAL: Duration = if cfg!(test) {
    Duration::from_millis(100)
} else {
    Duration::from_secs(10)
};

/// Queued write with its reply channel.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) write: PreparedWrite,
    pub(super) reply: oneshot::Sender<Result<Outcome, StoreError>>,
    /// Share of the queue's memory.
    pub(super) _memory: OwnedSemaphorePermit,
}

pub(super) struct Writer {
    database: Database,
    queue: mpsc::Receiver<Job>,
    commits: Arc<CommitNotifier>,
    state_cache: StateCache,
    cache: WriterCache,
    metrics: Metrics,
    /// Time of the next propagation step, if there may be one.
    propagate_at: Option<Instant>,
    /// Number of committed writes.
    written: watch::Sender<u64>,
}

/// Work of one transaction.
#[derive(Clone, Copy)]
enum Work<'a> {
    /// As many of these jobs as time permits.
    Jobs(&'a [Job]),
    /// One step of pending propagation to resources.
    Propagation,
}

/// Result of a transaction.
struct Written {
    outcomes: Vec<Outcome>,
    /// Last change number of each account.
    changed: HashMap<AccountId, u64>,
    cache_updates: Vec<CacheUpdate>,
}

impl Writer {
    pub(super) fn new(
        database: Database,
        queue: mpsc::Receiver<Job>,
        (commits, state_cache): (Arc<CommitNotifier>, StateCache),
        metrics: Metrics,
    ) -> Self {
        Self {
            database,
            queue,
            commits,
            state_cache,
            cache: WriterCache::default(),
            metrics,
            // A previous process may have left propagation unfinished.
            propagate_at: Some(Instant::now()),
            written: watch::Sender::new(0),
        }
    }

    /// Subscribes to the number of committed writes.
    pub(super) fn written(&self) -> watch::Receiver<u64> {
        self.written.subscribe()
    }

    /// Runs until the store is dropped.
    pub(super) async fn run(mut self) {
        let mut jobs = Vec::with_capacity(MAX_BATCH_JOBS);
        while self.has_work(&mut jobs).await {
            let jobs = std::mem::take(&mut jobs);
            let (maintenance, others): (Vec<_>, Vec<_>) =
                jobs.into_iter().partition(|job| job.write.is_maintenance());
            if !others.is_empty() {
                self.commit_all(others).await;
            }
            for job in maintenance {
                self.commit_one(job).await;
            }
            if self.propagate_at.is_some_and(|at| at <= Instant::now()) {
                self.propagate().await;
            }
        }
        self.database.close().await;
    }

    /// Waits for jobs or for the next propagation step; false once the queue is closed.
    async fn has_work(&mut self, jobs: &mut Vec<Job>) -> bool {
        let propagate_at = self.propagate_at.unwrap_or_else(Instant::now);
        tokio::select! {
            biased;
            count = self.queue.recv_many(jobs, MAX_BATCH_JOBS) => count > 0,
            () = sleep_until(propagate_at), if self.propagate_at.is_some() => true,
        }
    }

    /// Runs one step of pending propagation.
    async fn propagate(&mut self) {
        let is_shared = self.database.is_shared();
        self.propagate_at = is_shared.then(|| Instant::now() + PROPAGATION_INTERVAL);
        let result = match resource::has_pending(&self.database).await {
            Ok(true) => self.commit(Work::Propagation).await.map(|_| ()),
            Ok(false) => Ok(()),
            // Failed writes report an unreachable database; here nothing is known to be pending.
            Err(error) if is_shared => {
                tracing::debug!(%error, "failed to look for pending updates of resources");
                Ok(())
            }
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            tracing::warn!(%error, "failed to update resources after their application changed; retrying in 1 s");
            self.propagate_at = Some(Instant::now() + RETRY_DELAY);
        }
    }

    async fn commit_all(&mut self, mut jobs: Vec<Job>) {
        while !jobs.is_empty() {
            match self.commit(Work::Jobs(&jobs)).await {
                Ok(outcomes) => {
                    let rest = jobs.split_off(outcomes.len());
                    reply_all(std::mem::replace(&mut jobs, rest), outcomes);
                }
                // One write may be at fault, unless the database is unavailable to all of them.
                Err(error) if jobs.len() > 1 && !is_unavailable(&error) => {
                    tracing::warn!(%error, jobs = jobs.len(), "a group commit failed; retrying its writes one by one");
                    for job in jobs.drain(..) {
                        Box::pin(self.commit_one(job)).await;
                    }
                }
                Err(error) => jobs.drain(..).for_each(|job| reply_error(job, &error)),
            }
        }
    }

    async fn commit_one(&mut self, job: Job) {
        match self.commit(Work::Jobs(std::slice::from_ref(&job))).await {
            Ok(outcomes) => reply_all(vec![job], outcomes),
            Err(error) => reply_error(job, &error),
        }
    }

    async fn commit(&mut self, work: Work<'_>) -> Result<Vec<Outcome>, Error> {
        let started = Instant::now();
        match self.transact(work).await {
            Ok(Written {
                outcomes,
                changed,
                cache_updates,
            }) => {
                // Before watchers wake up: they ask the cache for what has just been committed.
                self.state_cache.apply(cache_updates).await;
                self.metrics.committed(outcomes.len(), started.elapsed());
                self.written
                    .send_modify(|written| *written += outcomes.len() as u64);
                for (account, change) in &changed {
                    self.commits.publish(account, *change);
                }
                Ok(outcomes)
            }
            Err(error) => {
                // The cache may describe rows that were rolled back.
                self.cache = WriterCache::default();
                Err(error)
            }
        }
    }

    async fn transact(&mut self, work: Work<'_>) -> Result<Written, Error> {
        if self.database.is_shared() {
            // Other replicas may have written since.
            self.cache = WriterCache::default();
        }
        let mut transaction = self.database.begin().await?;
        transaction.force_index_scans().await?;
        let now = time::to_millis(SystemTime::now());
        let mut batch = Batch::new(&mut transaction, &mut self.cache, now);
        let outcomes = match work {
            Work::Jobs(jobs) => apply_jobs(&mut batch, jobs).await?,
            Work::Propagation => {
                batch.propagate_pending().await?;
                self.propagate_at = Some(Instant::now());
                Vec::new()
            }
        };
        batch.flush().await?;
        if batch.has_pending_propagation {
            self.propagate_at = Some(Instant::now());
        }
        let (changed, cache_updates) = (batch.changed, batch.cache_updates);
        if !changed.is_empty() {
            transaction.notify(CHANGES).await?;
        }
        transaction.commit().await?;
        Ok(Written {
            outcomes,
            changed,
            cache_updates,
        })
    }
}

/// Applies as many jobs as time permits, and at least one.
async fn apply_jobs(batch: &mut Batch<'_>, jobs: &[Job]) -> Result<Vec<Outcome>, Error> {
    let started = Instant::now();
    let mut outcomes = Vec::with_capacity(jobs.len());
    for jobs in jobs.chunks(chunks::MAX_ROWS) {
        let writes: Vec<&PreparedWrite> = jobs.iter().map(|job| &job.write).collect();
        batch.prefetch(&writes).await?;
        for (index, write) in writes.into_iter().enumerate() {
            outcomes.push(batch.apply(index, write).await?);
            if started.elapsed() > MAX_BATCH_TIME {
                return Ok(outcomes);
            }
        }
    }
    Ok(outcomes)
}

fn reply_all(jobs: Vec<Job>, outcomes: Vec<Outcome>) {
    for (job, outcome) in jobs.into_iter().zip(outcomes) {
        // The caller may have disconnected; the write is committed anyway.
        let _ = job.reply.send(Ok(outcome));
    }
}

fn reply_error(job: Job, error: &Error) {
    let failed = if is_unavailable(error) {
        StoreError::Unavailable
    } else {
        StoreError::Failed(error.to_string().into())
    };
    let _ = job.reply.send(Err(failed));
}
