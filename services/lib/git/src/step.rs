//! The steps of one batch, with the callers that wait for them.

use std::sync::Arc;

use gix::ObjectId;
use tokio::sync::oneshot;

use crate::{
    Change, Commit, Engine, GitError, Remote, change::is_other, journal::Record, queue::Waiting,
};

pub(crate) type Answer = Result<Commit, GitError>;

/// A step at work, with all callers that wait for it.
pub(crate) struct Step {
    pub(crate) change: Arc<Change>,
    key: String,
    digest: String,
    /// The tip when the step began, once that is on disk.
    pub(crate) base: Option<ObjectId>,
    callers: Vec<oneshot::Sender<Answer>>,
}

impl Step {
    pub(crate) fn answer(self, answer: &Answer) {
        for caller in self.callers {
            // A caller that left repeats the request or not; the result is on disk.
            let _ = caller.send(answer.clone());
        }
    }

    pub(crate) fn record(&self, base: ObjectId, commit: Option<ObjectId>) -> Record {
        Record {
            key: self.key.clone(),
            digest: self.digest.clone(),
            base: base.to_string(),
            commit: commit.map(|id| id.to_string()),
        }
    }
}

pub(crate) struct Steps(pub(crate) Vec<Step>);

impl Steps {
    /// Answers what the journal knows, and joins callers of one step.
    pub(crate) fn new(
        engine: &Engine,
        remote: &Remote,
        branch: &str,
        waiting: Vec<Waiting>,
    ) -> Self {
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

    /// The branch where the one of these steps starts, if it is new.
    pub(crate) fn start(&self) -> Option<String> {
        self.0.first().and_then(|step| step.change.start.clone())
    }

    /// Fails the steps that expected no such branch.
    pub(crate) fn fail_starting(&mut self, branch: &str) {
        let expected = |(_, step): &(usize, &Step)| step.change.start.is_some();
        let found = self.0.iter().enumerate().filter(expected);
        let error = || GitError::BranchExists {
            branch: branch.to_owned(),
        };
        let answers = found.map(|(position, _)| (position, Err(error())));
        self.answer(answers.collect());
    }

    pub(crate) fn fail(self, error: &GitError) {
        self.0
            .into_iter()
            .for_each(|step| step.answer(&Err(error.clone())));
    }

    /// Answers and takes out the steps with these positions.
    pub(crate) fn answer(&mut self, answers: Vec<(usize, Answer)>) {
        let positions: Vec<_> = answers.iter().map(|(position, _)| *position).collect();
        let taken = self.split(&positions);
        for (step, (_, answer)) in taken.into_iter().zip(answers) {
            step.answer(&answer);
        }
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
