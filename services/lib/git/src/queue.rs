//! One queue per repository and branch. The caller whose turn it is commits for all that wait.
//!
//! The step id is looked up in the history of the very tip that the push expects, so nothing can slip in between.
//! When the caller at work is cancelled, the next one takes over; the look-up makes that safe.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::oneshot::{self, error::TryRecvError};

use crate::{
    Change, Engine, GitError, Remote,
    attempt::{Attempt, Retry},
    clones::Clone,
    step::{Answer, Steps},
};

const MAX_BATCH: usize = 100;
/// Attempts without a server, beyond which the caller has to repeat.
const MAX_FAILED: u32 = 2;

pub(crate) struct Waiting {
    pub(crate) change: Arc<Change>,
    pub(crate) answer: oneshot::Sender<Answer>,
}

#[derive(Default)]
pub(crate) struct Queue {
    waiting: Mutex<VecDeque<Waiting>>,
    turn: tokio::sync::Mutex<()>,
}

impl Queue {
    pub(crate) async fn submit(
        &self,
        engine: &Engine,
        remote: &Remote,
        branch: &str,
        change: Arc<Change>,
    ) -> Answer {
        loop {
            let mut answer = self.enter(&change, engine.config.limits.waiting)?;
            loop {
                let turn = tokio::select! {
                    biased;
                    answer = &mut answer => match answer {
                        Ok(answer) => return answer,
                        Err(_) => break,
                    },
                    turn = self.turn.lock() => turn,
                };
                match answer.try_recv() {
                    Ok(answer) => return answer,
                    // The caller that took it was cancelled.
                    Err(TryRecvError::Closed) => break,
                    Err(TryRecvError::Empty) => {}
                }
                let steps = Steps::new(engine, remote, branch, self.take());
                Box::pin(run(engine, remote, branch, steps)).await;
                release(engine, remote).await;
                drop(turn);
            }
        }
    }

    fn enter(
        &self,
        change: &Arc<Change>,
        limit: usize,
    ) -> Result<oneshot::Receiver<Answer>, GitError> {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= limit {
            return Err(GitError::QueueFull {
                waiting: waiting.len(),
            });
        }
        waiting.push_back(Waiting {
            change: Arc::clone(change),
            answer: sender,
        });
        Ok(receiver)
    }

    fn take(&self) -> Vec<Waiting> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let count = waiting.len().min(MAX_BATCH);
        waiting.drain(..count).collect()
    }
}

async fn run(engine: &Engine, remote: &Remote, branch: &str, mut steps: Steps) {
    if steps.0.is_empty() {
        return;
    }
    let clone = engine.clones.get(remote);
    let mut clone = clone.lock().await;
    let attempts = engine.config.limits.attempts;
    let mut last = GitError::Contended {
        branch: branch.to_owned(),
        attempts,
    };
    let mut failed = 0;
    for number in 0..attempts {
        let retry = match clone.prepare(remote) {
            Ok(()) => {
                Attempt::new(engine, remote, branch, &mut clone)
                    .run(&mut steps)
                    .await
            }
            Err(error) => Err(error),
        };
        match retry {
            Ok(None) => return,
            Ok(Some(Retry::Raced)) => {}
            Ok(Some(Retry::Refused(reason))) if steps.0.len() > 1 => {
                tracing::debug!(%reason, "the push of a batch was refused, so each change is pushed alone");
                drop(clone);
                return one_by_one(engine, remote, branch, steps).await;
            }
            Ok(Some(Retry::Refused(reason))) => return steps.fail(&GitError::Rejected { reason }),
            Ok(Some(Retry::Uncertain(error))) => {
                failed += 1;
                last = error;
                // A killed program leaves locks and half a pack behind.
                let _ = clone.discard();
            }
            Err(error) => return give_up(&mut clone, steps, &error),
        }
        if failed > MAX_FAILED {
            break;
        }
        clone.tips.remove(branch);
        backoff(number).await;
    }
    give_up(&mut clone, steps, &last);
}

async fn release(engine: &Engine, remote: &Remote) {
    let clone = engine.clones.get(remote);
    let bytes = clone.lock().await.bytes();
    drop(clone);
    engine.clones.release(remote, bytes);
}

/// A clone that git cannot use any more is made again by the next request.
fn give_up(clone: &mut Clone, steps: Steps, error: &GitError) {
    let is_broken = matches!(
        error,
        GitError::Git(_) | GitError::TooLarge { .. } | GitError::Unavailable(_)
    );
    if is_broken && let Err(error) = clone.discard() {
        tracing::warn!(%error, "a clone was not removed");
    }
    steps.fail(error);
}

async fn one_by_one(engine: &Engine, remote: &Remote, branch: &str, steps: Steps) {
    for step in steps.0 {
        Box::pin(run(engine, remote, branch, Steps(vec![step]))).await;
    }
}

/// 20 ms, doubled up to 2 s, and a random share of it, so that writers do not meet again.
async fn backoff(number: u32) {
    let longest = 20_u64 << number.min(7);
    let wait = rand::random_range(longest / 2..=longest);
    tokio::time::sleep(Duration::from_millis(wait)).await;
}
