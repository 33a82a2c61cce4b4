//! The recent commits of a branch, as far as they were fetched.

use std::collections::{HashMap, HashSet, VecDeque};

use gix::{ObjectId, Repository};

use crate::{StepId, commit::step_of};

/// How many generations are fetched and how many commits are read for a look-up.
pub(crate) const DEPTH: u32 = 200;

/// What was found from the tip back.
pub(crate) struct History {
    steps: HashMap<StepId, ObjectId>,
    commits: HashSet<ObjectId>,
}

impl History {
    /// Reads at most `limit` commits, the newest generations first.
    pub(crate) fn read(repository: &Repository, tip: ObjectId, limit: usize) -> Self {
        let mut steps = HashMap::new();
        let mut commits = HashSet::from([tip]);
        let mut open = VecDeque::from([tip]);
        while let Some(id) = open.pop_front().filter(|_| commits.len() <= limit) {
            // Behind the shallow boundary there is nothing to find.
            let Ok(object) = repository.find_commit(id) else {
                continue;
            };
            let Ok(commit) = object.decode() else {
                continue;
            };
            if let Some(step) = step_of(commit.message) {
                // The oldest commit of a step is its first.
                steps.insert(step, id);
            }
            open.extend(commit.parents().filter(|parent| commits.insert(*parent)));
        }
        Self { steps, commits }
    }

    pub(crate) fn commit_of(&self, step: &StepId) -> Option<ObjectId> {
        self.steps.get(step).copied()
    }

    /// A twin without the look-up.
    #[cfg(test)]
    pub(crate) fn without_steps(self) -> Self {
        let steps = HashMap::new();
        Self { steps, ..self }
    }

    pub(crate) fn has(&self, commit: ObjectId) -> bool {
        self.commits.contains(&commit)
    }
}
