//! One try to commit a batch on one tip: look up, apply, store the beginning, push, store the results.

use std::sync::Arc;

use gix::ObjectId;

use crate::{
    Change, Commit, Engine, FileEdit, GitError, Remote,
    clones::Clone,
    commit::{self, Committer},
    engine::blocking,
    failpoint::reach,
    history::{DEPTH, History},
    step::{Step, Steps},
    transport::{Pushed, Transport, is_uncertain, tracking_ref},
    tree::{Item, Tree},
};

/// Blobs of copied folders become known one round later.
const MAX_ROUNDS: usize = 4;
const DEEPEST: u32 = 5000;

/// Why an attempt did not finish the batch.
pub(crate) enum Retry {
    Raced,
    /// The push may have arrived.
    Uncertain(GitError),
    /// The server refused the commits as such.
    Refused(String),
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
    /// Where the branch starts while it does not exist.
    start: Option<String>,
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
            start: None,
            clone,
        }
    }

    pub(crate) async fn run(&mut self, steps: &mut Steps) -> Result<Option<Retry>, GitError> {
        // After an own push the tip is known; a foreign push since then fails the comparison.
        let tip = match self.clone.tips.get(self.branch) {
            Some(tip) => *tip,
            None => match self.fetch_or_start(steps.start()).await {
                Err(error) if is_uncertain(&error) => return Ok(Some(Retry::Uncertain(error))),
                other => other?,
            },
        };
        reach("fetched");
        self.answer_committed(steps, tip).await?;
        if self.start.is_none() {
            steps.fail_starting(self.branch);
        }
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

    /// The same, or the tip of the branch where a new one starts.
    async fn fetch_or_start(&mut self, start: Option<String>) -> Result<ObjectId, GitError> {
        match (self.fetch().await, start) {
            (Err(GitError::BranchNotFound { .. }), Some(start)) => {
                self.start = Some(start);
                self.fetch().await
            }
            (fetched, _) => fetched,
        }
    }

    async fn deepen(&mut self, depth: u32) -> Result<ObjectId, GitError> {
        self.clone.fetches += 1;
        let branch = self.start.as_deref().unwrap_or(self.branch);
        self.transport().fetch_branch(branch, depth).await?;
        let file = self.clone.folder.join(tracking_ref(branch));
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

    pub(crate) fn transport(&self) -> Transport<'_> {
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
        steps.answer(answers);
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
            let committer = Committer {
                person: self.engine.config.committer.clone(),
                key: self.remote.signing_key.clone(),
            };
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
        steps.answer(failures.collect());
        let Some(newest) = committed.last() else {
            return Ok(None);
        };
        self.begin(steps, tip).await?;
        reach("stored");
        self.clone.commits += committed.len() as u64;
        let from = self.start.is_none().then_some(tip);
        match self.transport().push(self.branch, from, *newest).await {
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

/// One commit per change, each on the one before. A change that does not apply is left out.
fn apply_all(
    repository: &gix::Repository,
    tip: ObjectId,
    committer: &Committer,
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
        #[cfg(test)]
        crate::tests::twin::rebase(change, &mut tree);
        let has_all = tree.missing.is_empty();
        applied.missing.append(&mut tree.missing);
        match done {
            Err(error) => applied.failures.push((position, error)),
            Ok(()) if tree.id == tree_id && has_all => {
                applied.failures.push((position, GitError::NothingToCommit));
            }
            Ok(()) => {
                let object = commit::object(change, committer, tree.id, parent)?;
                parent = repository.write_object(object)?.detach();
                tree_id = tree.id;
                applied.commits.push((position, parent));
            }
        }
    }
    Ok(applied)
}
