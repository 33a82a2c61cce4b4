//! What is told of a state without reading it.

use crate::{
    application::{Health, State, Sync},
    digest::Digest,
};

/// Revisions that an outline has at most, and bytes of each.
const MOST_REVISIONS: usize = 16;
const LONGEST_REVISION: usize = 256;

/// Where the operation of an application stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Phase {
    /// There is none, or it has no phase yet.
    #[default]
    Unspecified,
    /// It runs.
    Running,
    /// It is being stopped.
    Terminating,
    /// It did its work.
    Succeeded,
    /// Some resource refused.
    Failed,
    /// It could not be carried out.
    Error,
}

impl Phase {
    const ALL: [Self; 6] = [
        Self::Unspecified,
        Self::Running,
        Self::Terminating,
        Self::Succeeded,
        Self::Failed,
        Self::Error,
    ];

    /// The number that a store keeps for it.
    pub fn code(self) -> i64 {
        self as i64
    }

    /// What a number stands for that a store kept; not stated for any other.
    pub fn from_code(code: i64) -> Self {
        let known = usize::try_from(code)
            .ok()
            .and_then(|code| Self::ALL.get(code));
        known.copied().unwrap_or_default()
    }
}

/// What a state is, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// Whether the cluster has what Git says.
    pub sync: Sync,
    /// Whether it works.
    pub health: Health,
    /// Where its operation stands.
    pub phase: Phase,
    /// The revisions that were compared, as far as they are short and few.
    pub revisions: Vec<String>,
}

impl Outline {
    /// The outline of a state.
    #[must_use]
    pub fn of(state: &State) -> Self {
        // As no revision of Git or Helm has, a break would make two of one.
        let short =
            |revision: &&String| revision.len() <= LONGEST_REVISION && !revision.contains('\n');
        let revisions = state
            .progress
            .revisions
            .iter()
            .filter(short)
            .take(MOST_REVISIONS);
        Self {
            sync: state.summary.sync,
            health: state.summary.health,
            phase: state.progress.operation.phase,
            revisions: revisions.cloned().collect(),
        }
    }

    /// Another number for other revisions; 0 where there are none.
    #[must_use]
    pub fn stamp(&self) -> i64 {
        if self.revisions.is_empty() {
            return 0;
        }
        let digest = Digest::of(self.revisions.join("\n").as_bytes());
        let first = digest.as_bytes().first_chunk();
        i64::from_be_bytes(*first.expect("a digest has 32 bytes")) | 1
    }

    /// The outline of what is gone.
    #[must_use]
    pub fn gone() -> Self {
        Self {
            sync: Sync::Unspecified,
            health: Health::Unspecified,
            phase: Phase::Unspecified,
            revisions: Vec::new(),
        }
    }
}

/// Whether a state is kept for as long as the history is, or only while the history is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// It is one of many.
    Passing,
    /// It began an application, ended an operation, or changed sync or health.
    Lasting,
}

/// What the weight of the state after is decided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bearing {
    /// Whether the cluster has what Git says.
    pub sync: Sync,
    /// Whether it works.
    pub health: Health,
    /// When its last operation ended, milliseconds since 1970; 0 where none has.
    pub operation_ended: i64,
}

impl Bearing {
    /// The bearing of a state.
    #[must_use]
    pub fn of(state: &State) -> Self {
        Self {
            sync: state.summary.sync,
            health: state.summary.health,
            operation_ended: state.progress.operation.ended_at,
        }
    }

    /// The weight of a state that comes after another, or after none.
    #[must_use]
    pub fn after(self, before: Option<Self>) -> Weight {
        let Some(before) = before else {
            return Weight::Lasting;
        };
        let ended = self.operation_ended != 0 && self.operation_ended != before.operation_ended;
        let same = (self.sync, self.health) == (before.sync, before.health);
        if ended || !same {
            Weight::Lasting
        } else {
            Weight::Passing
        }
    }
}
