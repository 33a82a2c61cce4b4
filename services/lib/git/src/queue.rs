//! One queue per repository and branch. The caller whose turn it is commits for all that wait.
//!
//! The step id is looked up in the history of the very tip that the push expects, so nothing can slip in between.
//! When the caller at work is cancelled, the next one takes over; the look-up makes that safe.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use gix::ObjectId;
use tokio::sync::oneshot::{self, error::TryRecvError};

use crate::{
    Change, Commit, Engine, FileEdit, GitError, Person, Remote,
    change::is_other,
    clones::Clone,
    commit,
    engine::blocking,
    failpoint::reach,
    history::{DEPTH, History},
    journal::Record,
    transport::{Pushed, Transport, is_uncertain, tracking_ref},
    tree::{Item, Tree},
};

const MAX_BATCH: usize = 100;
/// Blobs of copied folders become known one round later.
const MAX_ROUNDS: usize = 4;
/// Attempts without a server, beyond which the caller has to repeat.
const MAX_FAILED: u32 = 2;
const DEEPEST: u32 = 5000;

type Answer = Result<Commit, GitError>;

struct Waiting {
    change: Arc<Change>,
    answer: oneshot::Sender<Answer>,
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

/// A step at work, with all callers that wait for it.
struct Step {
    change: Arc<Change>,
    key: String,
    digest: String,
    /// The tip when the step began, once that is on disk.
    base: Option<ObjectId>,
    callers: Vec<oneshot::Sender<Answer>>,
}

impl Step {
    fn answer(self, answer: &Answer) {
        for caller in self.callers {
            // A caller that left repeats the request or not; the result is on disk.
            let _ = caller.send(answer.clone());
        }
    }

    fn record(&self, base: ObjectId, commit: Option<ObjectId>) -> Record {
        Record {
            key: self.key.clone(),
            digest: self.digest.clone(),
            base: base.to_string(),
            commit: commit.map(|id| id.to_string()),
        }
    }
}

struct Steps(Vec<Step>);

impl Steps {
    /// Answers what the journal knows, and joins callers of one step.
    fn new(engine: &Engine, remote: &Remote, branch: &str, waiting: Vec<Waiting>) -> Self {
        let mut steps: Vec<Step> = Vec::new();
        for Waiting { change, answer } in waiting {
            let key = format!(
                "{}\n{}\n{branch}\n{}",
                remote.account, remote.url, change.step
            );
            let digest = change.digest();
            let reused = || GitError::StepReused {
                step: change.step.to_string(),
            };
            let record = engine.record(&key);
            let earlier = steps.iter_mut().find(|step| step.key == key);
            let known = record
                .as_ref()
                .map(|it| &it.digest)
                .or(earlier.as_ref().map(|it| &it.digest));
            if known.is_some_and(|known| is_other(known, &digest)) {
                let _ = answer.send(Err(reused()));
            } else if let Some(id) = record.as_ref().and_then(|it| it.commit.clone()) {
                let _ = answer.send(Ok(Commit {
                    id,
                    is_repeat: true,
                }));
            } else if let Some(earlier) = earlier {
                earlier.callers.push(answer);
            } else {
                let base = record.and_then(|it| it.base.parse().ok());
                let callers = vec![answer];
                steps.push(Step {
                    change,
                    key,
                    digest,
                    base,
                    callers,
                });
            }
        }
        Self(steps)
    }

    fn fail(self, error: &GitError) {
        self.0
            .into_iter()
            .for_each(|step| step.answer(&Err(error.clone())));
    }

    /// Takes out the steps with these positions.
    fn split(&mut self, positions: &[usize]) -> Vec<Step> {
        let mut taken = Vec::new();
        let mut kept = Vec::new();
        for (position, step) in self.0.drain(..).enumerate() {
            if positions.contains(&position) {
                taken.push(step)
            } else {
                kept.push(step)
            }
        }
        self.0 = kept;
        taken
    }
}

/// Why an attempt did not finish the batch.
enum Retry {
    Raced,
    /// The push may have arrived.
    Uncertain(GitError),
    /// The server refused the commits as such.
    Refused(String),
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

/// Commits of a batch, by the position of their change.
#[derive(Default)]
pub(crate) struct Applied {
    pub(crate) commits: Vec<(usize, ObjectId)>,
    pub(crate) failures: Vec<(usize, GitError)>,
    missing: Vec<ObjectId>,
}

/// One try on one tip.
pub(crate) struct Attempt<'a> {
    engine: &'a Engine,
    remote: &'a Remote,
    branch: &'a str,
    clone: &'a mut Clone,
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(
        engine: &'a Engine,
        remote: &'a Remote,
        branch: &'a str,
        clone: &'a mut Clone,
    ) -> Self {
        Self {
            engine,
            remote,
            branch,
            clone,
        }
    }

    async fn run(&mut self, steps: &mut Steps) -> Result<Option<Retry>, GitError> {
        // After an own push the tip is known; a foreign push since then fails the comparison.
        let tip = match self.clone.tips.get(self.branch) {
            Some(tip) => *tip,
            None => match self.fetch().await {
                Err(error) if is_uncertain(&error) => return Ok(Some(Retry::Uncertain(error))),
                other => other?,
            },
        };
        reach("fetched");
        self.answer_committed(steps, tip).await?;
        if steps.0.is_empty() {
            return Ok(None);
        }
        let changes: Vec<_> = steps
            .0
            .iter()
            .map(|step| Arc::clone(&step.change))
            .collect();
        let applied = self.apply(tip, &changes).await?;
        reach("committed");
        self.finish(steps, tip, applied).await
    }

    /// Fetches the branch and returns its tip.
    pub(crate) async fn fetch(&mut self) -> Result<ObjectId, GitError> {
        self.deepen(DEPTH).await
    }

    async fn deepen(&mut self, depth: u32) -> Result<ObjectId, GitError> {
        self.clone.fetches += 1;
        self.transport().fetch_branch(self.branch, depth).await?;
        let file = self.clone.folder.join(tracking_ref(self.branch));
        let tip = std::fs::read_to_string(file)?;
        let tip = tip.trim().parse::<ObjectId>();
        tip.map_err(|error| GitError::Git(error.to_string()))
    }

    pub(crate) async fn fetch_blobs(&mut self, ids: &[ObjectId]) -> Result<(), GitError> {
        if ids.is_empty() {
            return Ok(());
        }
        self.clone.fetches += 1;
        self.transport().fetch_blobs(ids).await
    }

    fn transport(&self) -> Transport<'_> {
        Transport {
            cage: &self.engine.cage,
            remote: self.remote,
            folder: &self.clone.folder,
        }
    }

    pub(crate) fn open(&self) -> Result<gix::Repository, GitError> {
        self.clone.open()
    }

    /// Finds steps that were committed before, and stops those whose beginning is not in the history any more.
    async fn answer_committed(&mut self, steps: &mut Steps, tip: ObjectId) -> Result<(), GitError> {
        let bases: Vec<_> = steps.0.iter().filter_map(|step| step.base).collect();
        let history = self.history(tip, &bases).await?;
        let mut records = Vec::new();
        let mut answers = Vec::new();
        for (position, step) in steps.0.iter().enumerate() {
            match (history.commit_of(&step.change.step), step.base) {
                (Some(commit), base) => {
                    records.push(step.record(base.unwrap_or(tip), Some(commit)));
                    let id = commit.to_string();
                    answers.push((
                        position,
                        Ok(Commit {
                            id,
                            is_repeat: true,
                        }),
                    ));
                }
                (None, Some(base)) if !history.has(base) => {
                    let (branch, step) = (self.branch.to_owned(), step.change.step.to_string());
                    answers.push((position, Err(GitError::HistoryRewritten { branch, step })));
                }
                (None, _) => {}
            }
        }
        self.engine.store(records).await?;
        answer(steps, answers);
        Ok(())
    }

    /// The history back to all bases, as far as the server has it.
    async fn history(&mut self, tip: ObjectId, bases: &[ObjectId]) -> Result<History, GitError> {
        let mut depth = DEPTH;
        loop {
            let history = History::read(&self.open()?, tip, depth as usize);
            #[cfg(test)]
            let history = self.engine.config.twin.history(history);
            if depth >= DEEPEST || bases.iter().all(|base| history.has(*base)) {
                return Ok(history);
            }
            depth *= 5;
            self.deepen(depth).await?;
        }
    }

    /// Stores where each step begins before its first push, so that a later look-up knows how far to go back.
    async fn begin(&self, steps: &mut Steps, tip: ObjectId) -> Result<(), GitError> {
        let new = |step: &&mut Step| step.base.is_none();
        let records = steps
            .0
            .iter_mut()
            .filter(new)
            .map(|step| step.record(tip, None));
        self.engine.store(records.collect()).await?;
        steps
            .0
            .iter_mut()
            .filter(new)
            .for_each(|step| step.base = Some(tip));
        Ok(())
    }

    /// Applies changes to a tip; missing blobs are fetched in one request per round.
    pub(crate) async fn apply(
        &mut self,
        tip: ObjectId,
        changes: &[Arc<Change>],
    ) -> Result<Applied, GitError> {
        for _ in 0..MAX_ROUNDS {
            let (repository, changes) = (self.open()?.into_sync(), changes.to_vec());
            let committer = self.engine.config.committer.clone();
            let work = move || apply_all(&repository.to_thread_local(), tip, &committer, &changes);
            let mut applied = blocking(work).await?;
            if applied.missing.is_empty() {
                return Ok(applied);
            }
            applied.missing.sort();
            applied.missing.dedup();
            self.fetch_blobs(&applied.missing).await?;
        }
        Err(GitError::Git(
            "the server did not send the files that are edited".to_owned(),
        ))
    }

    /// Old contents that only the preview of a written or deleted file needs.
    pub(crate) fn missing_before(
        &self,
        tip: ObjectId,
        change: &Change,
    ) -> Result<Vec<ObjectId>, GitError> {
        let repository = self.open()?;
        let tree_id = repository.find_commit(tip)?.tree_id()?.detach();
        let mut tree = Tree::new(&repository, tree_id);
        for path in change.edits.iter().map(FileEdit::path) {
            if let Some(Item::File(file)) = tree.get(path)? {
                // Only whether it is here matters.
                let _ = tree.read(file.id, 0);
            }
        }
        Ok(tree.missing)
    }

    async fn finish(
        &mut self,
        steps: &mut Steps,
        tip: ObjectId,
        applied: Applied,
    ) -> Result<Option<Retry>, GitError> {
        let committed: Vec<_> = applied.commits.iter().map(|(_, commit)| *commit).collect();
        let failures = applied
            .failures
            .into_iter()
            .map(|(position, error)| (position, Err(error)));
        answer(steps, failures.collect());
        let Some(newest) = committed.last() else {
            return Ok(None);
        };
        self.begin(steps, tip).await?;
        reach("stored");
        self.clone.commits += committed.len() as u64;
        match self.transport().push(self.branch, tip, *newest).await {
            Ok(Pushed::Done) => {}
            Ok(Pushed::Raced) => return Ok(Some(Retry::Raced)),
            Ok(Pushed::Refused(reason)) => return Ok(Some(Retry::Refused(reason))),
            Err(error) if is_uncertain(&error) => return Ok(Some(Retry::Uncertain(error))),
            Err(error) => return Err(error),
        }
        reach("pushed");
        self.clone.tips.insert(self.branch.to_owned(), *newest);
        let pairs = steps.0.iter().zip(&committed);
        let records = pairs.map(|(step, commit)| step.record(tip, Some(*commit)));
        self.engine.store(records.collect()).await?;
        reach("journaled");
        for (step, commit) in steps.0.drain(..).zip(committed) {
            let id = commit.to_string();
            step.answer(&Ok(Commit {
                id,
                is_repeat: false,
            }));
        }
        reach("answered");
        Ok(None)
    }
}

fn answer(steps: &mut Steps, answers: Vec<(usize, Answer)>) {
    let positions: Vec<_> = answers.iter().map(|(position, _)| *position).collect();
    let taken = steps.split(&positions);
    for (step, (_, answer)) in taken.into_iter().zip(answers) {
        step.answer(&answer);
    }
}

/// One commit per change, each on the one before. A change that does not apply is left out.
fn apply_all(
    repository: &gix::Repository,
    tip: ObjectId,
    committer: &Person,
    changes: &[Arc<Change>],
) -> Result<Applied, GitError> {
    let mut applied = Applied::default();
    let mut parent = tip;
    let mut tree_id = repository.find_commit(tip)?.tree_id()?.detach();
    for (position, change) in changes.iter().enumerate() {
        let mut tree = Tree::new(repository, tree_id);
        let done = change
            .edits
            .iter()
            .try_for_each(|edit| edit.apply(&mut tree));
        let has_all = tree.missing.is_empty();
        applied.missing.append(&mut tree.missing);
        match done {
            Err(error) => applied.failures.push((position, error)),
            Ok(()) if tree.id == tree_id && has_all => {
                applied.failures.push((position, GitError::NothingToCommit));
            }
            Ok(()) => {
                let object = commit::object(change, committer, tree.id, parent);
                parent = repository.write_object(object)?.detach();
                tree_id = tree.id;
                applied.commits.push((position, parent));
            }
        }
    }
    Ok(applied)
}
