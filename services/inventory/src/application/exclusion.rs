//! Values that leave an application out of a list.

use super::{Facts, Health, LabelSelector, Patterns, Sync};

/// Excludes an application that matches any of its fields. The default excludes none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exclusion {
    /// Names of runtimes.
    pub runtimes: Patterns,
    /// Clusters.
    pub clusters: Patterns,
    /// Namespaces.
    pub namespaces: Patterns,
    /// Projects.
    pub projects: Patterns,
    /// Names.
    pub names: Patterns,
    /// Sync states.
    pub sync: Vec<Sync>,
    /// Health states.
    pub health: Vec<Health>,
    /// Labels; the selector of everything excludes nothing.
    pub labels: LabelSelector,
}

impl Exclusion {
    /// True if an application is left out.
    #[must_use]
    pub fn matches(&self, facts: &Facts<'_>) -> bool {
        self.runtimes.any(facts.runtime_name)
            || self.clusters.any(facts.cluster)
            || self.namespaces.any(facts.namespace)
            || self.projects.any(facts.project)
            || self.names.any(facts.name)
            || self.sync.contains(&facts.sync)
            || self.health.contains(&facts.health)
            || (!self.labels.is_everything() && self.labels.matches(facts.labels))
    }

    /// True if nothing is left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
