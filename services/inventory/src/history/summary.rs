//! Summary of a history entry that is readable without decoding its state.

use crate::{
    application::{Health, State, Sync},
    digest::Digest,
};

/// Limits of the revisions in a summary.
const MAX_REVISIONS: usize = 16;
const MAX_REVISION_BYTES: usize = 256;

/// Phase of an application's operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Phase {
    /// No operation, or no phase yet.
    #[default]
    Unspecified,
    Running,
    Terminating,
    Succeeded,
    /// A resource could not be synced.
    Failed,
    /// Argo CD could not run it.
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

    /// Stored code.
    pub fn code(self) -> i64 {
        self as i64
    }

    /// Phase of a stored code; unspecified for unknown codes.
    pub fn from_code(code: i64) -> Self {
        let known = usize::try_from(code)
            .ok()
            .and_then(|code| Self::ALL.get(code));
        known.copied().unwrap_or_default()
    }

    /// The word that Argo CD has for it; empty without an operation.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unspecified => "",
            Self::Running => "Running",
            Self::Terminating => "Terminating",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Error => "Error",
        }
    }
}

/// Status and revisions of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntrySummary {
    pub sync: Sync,
    pub health: Health,
    pub phase: Phase,
    /// Compared revisions, except overlong ones.
    pub revisions: Vec<String>,
}

impl EntrySummary {
    /// Summarizes a state.
    #[must_use]
    pub fn from_state(state: &State) -> Self {
        // Stored separated by line breaks, which no revision of Git or Helm contains.
        let short =
            |revision: &&String| revision.len() <= MAX_REVISION_BYTES && !revision.contains('\n');
        let revisions = state
            .progress
            .revisions
            .iter()
            .filter(short)
            .take(MAX_REVISIONS);
        Self {
            sync: state.summary.sync,
            health: state.summary.health,
            phase: state.progress.operation.phase,
            revisions: revisions.cloned().collect(),
        }
    }

    /// Hash of the revisions; 0 if there are none.
    #[must_use]
    pub fn revisions_hash(&self) -> i64 {
        if self.revisions.is_empty() {
            return 0;
        }
        let digest = Digest::of(self.revisions.join("\n").as_bytes());
        let first = digest.as_bytes().first_chunk();
        i64::from_be_bytes(*first.expect("a digest has 32 bytes")) | 1
    }

    /// Summary of a deletion.
    #[must_use]
    pub fn tombstone() -> Self {
        Self {
            sync: Sync::Unspecified,
            health: Health::Unspecified,
            phase: Phase::Unspecified,
            revisions: Vec::new(),
        }
    }
}

/// Decides whether compaction may drop an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Importance {
    /// Dropped by compaction, except for the last one of each hour.
    Routine,
    /// Kept for the whole retention: began an application, ended an operation, or changed sync or health.
    Milestone,
}

/// Fields whose change makes the next entry a milestone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusKey {
    pub sync: Sync,
    pub health: Health,
    /// End of the last operation in ms since 1970; 0 if there is none.
    pub operation_ended: i64,
}

impl StatusKey {
    /// Extracts the fields from a state.
    #[must_use]
    pub fn from_state(state: &State) -> Self {
        Self {
            sync: state.summary.sync,
            health: state.summary.health,
            operation_ended: state.progress.operation.ended_at,
        }
    }

    /// Importance of a state that follows another one, or none.
    #[must_use]
    pub fn importance_after(self, before: Option<Self>) -> Importance {
        let Some(before) = before else {
            return Importance::Milestone;
        };
        let ended = self.operation_ended != 0 && self.operation_ended != before.operation_ended;
        let same = (self.sync, self.health) == (before.sync, before.health);
        if ended || !same {
            Importance::Milestone
        } else {
            Importance::Routine
        }
    }
}
