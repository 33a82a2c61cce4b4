//! The only one that writes. What arrives while a commit is under way goes into the next one together, so that one fsync serves
//! many reports; nothing is answered before it.

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
    Commits, StoreError,
    batch::{Batch, Recall},
    chunks,
    prepared_write::Task,
    resource,
    state_cache::{Learnt, Recent},
};
use crate::{metrics::Metrics, store::Outcome};

/// What replicas tell each other: that there are changes.
pub(super) const CHANGES: &str = "changes";
const BATCH_JOBS: usize = 512;
/// What has not begun by then goes into the next transaction: others wait for their turn meanwhile, and each only so long.
const BATCH_TIME: Duration = Duration::from_millis(500);
/// When what failed is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// When to look for what another replica left behind: it may have ended since.
const LEFT_BEHIND: Duration = if cfg!(test) {
    Duration::from_millis(100)
} else {
    Duration::from_secs(10)
};

/// A write and who waits for it.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) task: Task,
    pub(super) reply: oneshot::Sender<Result<Outcome, StoreError>>,
    /// Its share of the memory that queued writes may take.
    pub(super) _room: OwnedSemaphorePermit,
}

pub(super) struct Writer {
    database: Database,
    queue: mpsc::Receiver<Job>,
    commits: Arc<Commits>,
    recent: Recent,
    memory: Recall,
    metrics: Metrics,
    /// When to go on with what is left of writes that were answered, if there may be any.
    rest_at: Option<Instant>,
    /// How many writes were committed.
    written: watch::Sender<u64>,
}

/// What goes into one transaction.
#[derive(Clone, Copy)]
enum Work<'a> {
    /// As many of these as there is time for.
    Jobs(&'a [Job]),
    /// Some of what is left of writes that were answered.
    Rest,
}

/// What a transaction did.
struct Written {
    /// Of each write.
    outcomes: Vec<Outcome>,
    /// The last change of each account.
    changed: HashMap<AccountId, u64>,
    learnt: Vec<Learnt>,
}

impl Writer {
    pub(super) fn new(
        database: Database,
        queue: mpsc::Receiver<Job>,
        (commits, recent): (Arc<Commits>, Recent),
        metrics: Metrics,
    ) -> Self {
        Self {
            database,
            queue,
            commits,
            recent,
            memory: Recall::default(),
            metrics,
            // What another process has left.
            rest_at: Some(Instant::now()),
            written: watch::Sender::new(0),
        }
    }

    /// How many writes were committed, until it ends.
    pub(super) fn written(&self) -> watch::Receiver<u64> {
        self.written.subscribe()
    }

    /// Writes until the store is dropped.
    pub(super) async fn run(mut self) {
        let mut jobs = Vec::with_capacity(BATCH_JOBS);
        while self.has_work(&mut jobs).await {
            let jobs = std::mem::take(&mut jobs);
            let (upkeep, others): (Vec<_>, Vec<_>) =
                jobs.into_iter().partition(|job| job.task.is_upkeep());
            if !others.is_empty() {
                self.commit_all(others).await;
            }
            for job in upkeep {
                self.commit_one(job).await;
            }
            if self.rest_at.is_some_and(|at| at <= Instant::now()) {
                self.tell_rest().await;
            }
        }
        self.database.close().await;
    }

    /// Waits for jobs, or until the rest of what was written before can go on; false where there will be none.
    async fn has_work(&mut self, jobs: &mut Vec<Job>) -> bool {
        let rest_at = self.rest_at.unwrap_or_else(Instant::now);
        tokio::select! {
            biased;
            count = self.queue.recv_many(jobs, BATCH_JOBS) => count > 0,
            () = sleep_until(rest_at), if self.rest_at.is_some() => true,
        }
    }

    /// Tells some more resources of what has become of their applications, if there are any.
    async fn tell_rest(&mut self) {
        let is_shared = self.database.is_shared();
        self.rest_at = is_shared.then(|| Instant::now() + LEFT_BEHIND);
        let told = match resource::are_untold(&self.database).await {
            Ok(true) => self.commit(Work::Rest).await.map(|_| ()),
            Ok(false) => Ok(()),
            // Whoever writes tells of a database that is away; here nothing is known to be left.
            Err(error) if is_shared => {
                tracing::debug!(%error, "it is not known whether resources are left");
                Ok(())
            }
            Err(error) => Err(error),
        };
        if let Err(error) = told {
            tracing::warn!(%error, "not all resources are told what has become of their applications");
            self.rest_at = Some(Instant::now() + AGAIN);
        }
    }

    async fn commit_all(&mut self, mut jobs: Vec<Job>) {
        while !jobs.is_empty() {
            match self.commit(Work::Jobs(&jobs)).await {
                Ok(outcomes) => {
                    let rest = jobs.split_off(outcomes.len());
                    reply_all(std::mem::replace(&mut jobs, rest), outcomes);
                }
                // One of them may be at fault, but not where none can be written.
                Err(error) if jobs.len() > 1 && !is_unavailable(&error) => {
                    tracing::warn!(%error, jobs = jobs.len(), "a commit failed, its writes are tried one by one");
                    for job in jobs.drain(..) {
                        Box::pin(self.commit_one(job)).await;
                    }
                }
                Err(error) => jobs.drain(..).for_each(|job| refuse(job, &error)),
            }
        }
    }

    async fn commit_one(&mut self, job: Job) {
        match self.commit(Work::Jobs(std::slice::from_ref(&job))).await {
            Ok(outcomes) => reply_all(vec![job], outcomes),
            Err(error) => refuse(job, &error),
        }
    }

    async fn commit(&mut self, work: Work<'_>) -> Result<Vec<Outcome>, Error> {
        let begun = Instant::now();
        match self.transact(work).await {
            Ok(Written {
                outcomes,
                changed,
                learnt,
            }) => {
                self.recent.learn(learnt).await;
                self.metrics.committed(outcomes.len(), begun.elapsed());
                self.written
                    .send_modify(|written| *written += outcomes.len() as u64);
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

    async fn transact(&mut self, work: Work<'_>) -> Result<Written, Error> {
        if self.database.is_shared() {
            // Other replicas may have written since.
            self.memory = Recall::default();
        }
        let mut transaction = self.database.begin().await?;
        transaction.force_index_scans().await?;
        let now = time::to_millis(SystemTime::now());
        let mut batch = Batch::new(&mut transaction, &mut self.memory, now);
        let outcomes = match work {
            Work::Jobs(jobs) => write(&mut batch, jobs).await?,
            Work::Rest => {
                batch.tell_rest().await?;
                self.rest_at = Some(Instant::now());
                Vec::new()
            }
        };
        batch.finish().await?;
        if batch.untold {
            self.rest_at = Some(Instant::now());
        }
        let (changed, learnt) = (batch.changed, batch.learnt);
        if !changed.is_empty() {
            transaction.notify(CHANGES).await?;
        }
        transaction.commit().await?;
        Ok(Written {
            outcomes,
            changed,
            learnt,
        })
    }
}

/// Writes as many as there is time for, and at least the first one.
async fn write(batch: &mut Batch<'_>, jobs: &[Job]) -> Result<Vec<Outcome>, Error> {
    let begun = Instant::now();
    let mut outcomes = Vec::with_capacity(jobs.len());
    for some in jobs.chunks(chunks::MOST) {
        let tasks: Vec<&Task> = some.iter().map(|job| &job.task).collect();
        batch.look_ahead(&tasks).await?;
        for (place, task) in tasks.into_iter().enumerate() {
            outcomes.push(batch.apply(place, task).await?);
            if begun.elapsed() > BATCH_TIME {
                return Ok(outcomes);
            }
        }
    }
    Ok(outcomes)
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
