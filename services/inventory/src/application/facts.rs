//! What filters look at, wherever it is held.

use std::collections::BTreeMap;

use super::{Health, Key, Record, Source, Summary, Sync};
use crate::history::Phase;

/// Properties of one application, borrowed.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The runtime's name.
    pub runtime_name: &'a str,
    /// The cluster.
    pub cluster: &'a str,
    /// The namespace.
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
    /// The project.
    pub project: &'a str,
    /// The labels.
    pub labels: &'a BTreeMap<String, String>,
    /// The sync state.
    pub sync: Sync,
    /// The health state.
    pub health: Health,
    /// The kind of source.
    pub source: Source,
    /// The phase of the running or last operation.
    pub operation: Phase,
    /// Whether it syncs automatically.
    pub automated: bool,
    /// Repository URLs, one a line.
    pub repositories: &'a str,
    /// The parent as NAMESPACE/NAME; empty without one.
    pub parent: &'a str,
    /// When its state was accepted, milliseconds since 1970.
    pub received_at: i64,
}

impl<'a> Facts<'a> {
    /// Of an application by its parts.
    #[must_use]
    pub fn new(key: &'a Key, summary: &'a Summary, received_at: i64) -> Self {
        Self {
            runtime_name: &key.runtime_name,
            cluster: &key.cluster,
            namespace: &key.namespace,
            name: &key.name,
            project: &summary.traits.project,
            labels: &summary.traits.labels,
            sync: summary.sync,
            health: summary.health,
            source: summary.source,
            operation: summary.details.operation,
            automated: summary.details.automated,
            repositories: &summary.details.repositories,
            parent: &summary.details.parent,
            received_at,
        }
    }
}

impl Record {
    /// What filters look at.
    #[must_use]
    pub fn facts(&self) -> Facts<'_> {
        Facts::new(&self.key, &self.summary, self.received_at)
    }
}
