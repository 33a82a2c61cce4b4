//! What a caller may see of an account. Owns the promise that a question is answered by the caller's scope alone: stores may
//! find by a part of it, but every record and every key passes [`Visible::contains`] before it is handed out.
//!
//! Where a record stands (runtime, cluster, namespace, name) never changes; its project and labels do. So a record remembers what
//! it was, and a watch reports that it left the scope only to callers who saw it.

use std::{collections::BTreeMap, sync::Arc};

use causeway_assertion::{ApplicationAttributes, Scope, ScopeRule, UnownedObject};
use causeway_proto::ids::AccountId;

use super::{Facts, Key, Record, Summary};
use crate::{digest::Digest, resource::OwnerApplication};

/// How many former states a record remembers.
pub const MOST_PAST: usize = 8;

/// The labels of an application.
pub type Labels = Arc<BTreeMap<String, String>>;

/// What a caller may see. By default nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visible {
    scope: Arc<Scope>,
    everything: bool,
}

/// Properties of an application that rules match and that can change.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct ScopeTraits {
    /// Its project.
    pub project: Arc<str>,
    /// Its labels.
    pub labels: Labels,
}

/// Properties that an application had before.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FormerTraits {
    /// The number of the change that ended it.
    pub until: u64,
    /// What it was.
    pub traits: ScopeTraits,
}

/// Visibility of an application since a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PastVisibility {
    /// It was in scope.
    Yes,
    /// It was not.
    No,
    /// It changed so often that it is not known any more.
    Forgotten,
}

impl Visible {
    /// What a scope holds.
    #[must_use]
    pub fn new(scope: &Scope) -> Self {
        let scope = Arc::new(scope.clone().reduced());
        Self {
            everything: scope.is_everything(),
            scope,
        }
    }

    /// Every application of an account: for those who are not callers.
    #[must_use]
    pub fn everything() -> Self {
        Self::new(&Scope::everything(""))
    }

    /// True if there is nothing that it does not hold.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.everything
    }

    /// The rules of which one must hold.
    #[must_use]
    pub fn rules(&self) -> &[ScopeRule] {
        &self.scope.rules
    }

    /// The rules of which one must hold as well, where there are any.
    #[must_use]
    pub fn limits(&self) -> Option<&[ScopeRule]> {
        self.scope.limits.as_deref()
    }

    /// True if a record is in scope as it is.
    #[must_use]
    pub fn contains(&self, key: &Key, summary: &Summary) -> bool {
        self.holds(key, &summary.traits)
    }

    /// True if an application of this place and with these traits is in scope.
    #[must_use]
    pub fn holds(&self, key: &Key, traits: &ScopeTraits) -> bool {
        self.everything
            || self.scope.contains(&ApplicationAttributes {
                runtime: &key.runtime_name,
                cluster: &key.cluster,
                project: &traits.project,
                namespace: &key.namespace,
                name: &key.name,
                labels: &traits.labels,
            })
    }

    /// True if an application is in scope.
    #[must_use]
    pub fn includes(&self, facts: &Facts<'_>) -> bool {
        self.everything
            || self.scope.contains(&ApplicationAttributes {
                runtime: facts.runtime_name,
                cluster: facts.cluster,
                project: facts.project,
                namespace: facts.namespace,
                name: facts.name,
                labels: facts.labels,
            })
    }

    /// True if a runtime is in scope, by its name. A rule that selects by what a runtime does not have, such as a project, selects
    /// none.
    #[must_use]
    pub fn holds_runtime(&self, name: &str) -> bool {
        self.everything
            || self.scope.contains(&ApplicationAttributes {
                runtime: name,
                cluster: "",
                project: "",
                namespace: "",
                name: "",
                labels: &BTreeMap::new(),
            })
    }

    /// True if an application of a runtime is in scope, and with it what belongs to it.
    #[must_use]
    pub fn holds_of(&self, runtime_name: &str, belonging: &OwnerApplication) -> bool {
        let OwnerApplication {
            application,
            traits,
        } = belonging;
        self.everything
            || self.scope.contains(&ApplicationAttributes {
                runtime: runtime_name,
                cluster: &application.cluster,
                project: &traits.project,
                namespace: &application.namespace,
                name: &application.name,
                labels: &traits.labels,
            })
    }

    /// True if whatever there may be at a place is in scope, of an application or of none.
    #[must_use]
    pub fn covers(&self, ground: &UnownedObject<'_>) -> bool {
        self.everything || self.scope.contains_unowned(ground)
    }

    /// Whether a record was in scope at any time after a change of its account, as far as it remembers.
    #[must_use]
    pub fn saw(&self, record: &Record, since: u64) -> PastVisibility {
        let mut after = record.past.iter().filter(|past| past.until > since);
        if self.contains(&record.key, &record.summary)
            || after.any(|past| self.holds(&record.key, &past.traits))
        {
            return PastVisibility::Yes;
        }
        let oldest = record.past.last().map_or(0, |past| past.until);
        if record.past.len() >= MOST_PAST && oldest > since {
            PastVisibility::Forgotten
        } else {
            PastVisibility::No
        }
    }

    /// A number that ties what is handed out to the account and the scope that it was made for.
    #[must_use]
    pub fn stamp(&self, account: &AccountId) -> u64 {
        let text = format!("{account}\n{:016x}", self.scope.fingerprint());
        let digest = Digest::of(text.as_bytes());
        let first = digest.as_bytes().first_chunk();
        u64::from_be_bytes(*first.expect("a digest has 32 bytes"))
    }
}

/// The past of an application that was `held` and now is `new`, newest first.
#[must_use]
pub fn moved(
    mut past: Vec<FormerTraits>,
    held: ScopeTraits,
    new: &ScopeTraits,
    change: u64,
) -> Vec<FormerTraits> {
    if held != *new {
        past.insert(
            0,
            FormerTraits {
                until: change,
                traits: held,
            },
        );
        past.truncate(MOST_PAST);
    }
    past
}

#[cfg(test)]
mod tests;
