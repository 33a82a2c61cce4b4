//! Operations that have ended. Each is recorded once, beside whatever state its report told, and kept when its application is gone.

pub(crate) mod convert;
mod count;

use bytes::Bytes;

use crate::application::{
    ANSWER_BYTES, Details, Facts, Filter, Health, Key, ScopeTraits, Source, Summary, Sync, Uid,
};
pub use count::{DeploymentCounts, Period};

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// It did its work.
    Succeeded,
    /// Some resource refused.
    Failed,
    /// It could not be carried out.
    Error,
}

impl Phase {
    const ALL: [Self; 3] = [Self::Succeeded, Self::Failed, Self::Error];

    /// The number that a store keeps for it.
    pub fn code(self) -> i64 {
        self as i64
    }

    /// What a number stands for that a store kept.
    pub fn from_code(code: i64) -> Option<Self> {
        let known = usize::try_from(code).ok();
        known.and_then(|code| Self::ALL.get(code)).copied()
    }
}

/// An operation that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// When it began, milliseconds since 1970.
    pub started_at: i64,
    /// What tells it from others of its object that began at the same time.
    pub mark: String,
    /// How it ended.
    pub phase: Phase,
    /// All else that was told of it but its commit, encoded.
    pub content: Bytes,
    /// The commit that it synced to, encoded so that it adds to `content`; empty as long as it is not known.
    pub commit: Bytes,
}

/// An operation as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployment {
    /// Its number in the store, rising.
    pub number: u64,
    /// The place of its application.
    pub key: Key,
    /// The uid of its application.
    pub uid: Uid,
    /// What its application was when it was recorded.
    pub traits: ScopeTraits,
    /// When it was recorded, milliseconds since 1970.
    pub recorded_at: i64,
    /// The operation.
    pub ended: Ended,
}

/// Filter of deployments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeploymentFilter {
    /// Of which applications, and what the caller may see. It says nothing of states: those are of now.
    pub of: Filter,
    /// That ended so; empty for all.
    pub phases: Vec<Phase>,
    /// That began then or later, milliseconds since 1970.
    pub from: Option<i64>,
    /// That began before, milliseconds since 1970.
    pub before: Option<i64>,
}

/// A page of operations, the one that began last first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deployments {
    /// The operations.
    pub items: Vec<Deployment>,
    /// The number of the last one that was looked at; nothing where there are no more.
    pub next: Option<u64>,
    bytes: usize,
}

/// Where a list of operations goes on. Its caller holds it sealed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeploymentToken {
    /// The number of the last one that was looked at.
    pub after: u64,
    /// Which account and scope it was made for.
    pub stamp: u64,
}

impl Ended {
    /// About how many bytes it holds.
    #[must_use]
    pub fn size(&self) -> usize {
        256 + self.mark.len() + self.content.len() + self.commit.len()
    }
}

impl DeploymentFilter {
    /// True if an operation matches and is visible.
    #[must_use]
    pub fn matches(&self, deployment: &Deployment) -> bool {
        let started_at = deployment.ended.started_at;
        (self.phases.is_empty() || self.phases.contains(&deployment.ended.phase))
            && self.from.is_none_or(|from| started_at >= from)
            && self.before.is_none_or(|before| started_at < before)
            && self.matches_application(&deployment.key, &deployment.traits)
    }

    /// True if the operations of an application match and are visible, as far as it decides that.
    #[must_use]
    pub fn matches_application(&self, key: &Key, traits: &ScopeTraits) -> bool {
        let summary = Summary {
            traits: traits.clone(),
            sync: Sync::Unspecified,
            health: Health::Unspecified,
            source: Source::Unspecified,
            details: Details::default(),
        };
        // A recorded operation is not filtered by a time of change.
        self.of.matches(&Facts::new(key, &summary, i64::MAX))
    }
}

impl Deployments {
    /// Looks at one more; `false` where there is no room for it, and so it was not looked at.
    pub fn look(
        &mut self,
        deployment: Deployment,
        sought: &DeploymentFilter,
        limit: usize,
    ) -> bool {
        let number = deployment.number;
        if sought.matches(&deployment) {
            let size = 512 + deployment.ended.size();
            let fits = self.items.is_empty() || self.bytes + size <= ANSWER_BYTES;
            if self.items.len() >= limit || !fits {
                return false;
            }
            self.bytes += size;
            self.items.push(deployment);
        }
        self.next = Some(number);
        true
    }
}
