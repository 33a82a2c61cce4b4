//! One application as the rows hold it.

use std::cmp::Ordering;

use super::symbols::{LabelSet, Symbol, Symbols};
use crate::{
    application::{Details, Facts, Health, Key, Record, Sort, Source, Sync},
    digest::Digest,
    history::Phase,
};

/// An application without its content. Its texts are in [`Symbols`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) runtime_name: Symbol,
    pub(super) namespace: Symbol,
    pub(super) name: Symbol,
    pub(super) cluster: Symbol,
    pub(super) runtime: Symbol,
    pub(super) project: Symbol,
    pub(super) labels: LabelSet,
    pub(super) sync: Sync,
    pub(super) health: Health,
    pub(super) source: Source,
    pub(super) operation: Phase,
    pub(super) automated: bool,
    pub(super) repositories: Symbol,
    pub(super) parent: Symbol,
    pub(super) created_at: i64,
    pub(super) operation_started_at: i64,
    pub(super) received_at: i64,
    /// Number of its last change.
    pub(super) change: u64,
}

/// What stays the same while an application changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    runtime: Symbol,
    cluster: Symbol,
    uid: u128,
}

impl Identity {
    pub(super) fn of(record: &Record, symbols: &mut Symbols) -> Self {
        let digest = Digest::of(record.uid.as_str().as_bytes());
        let first = digest.as_bytes().first_chunk();
        Self {
            runtime: symbols.symbol(&record.key.runtime),
            cluster: symbols.symbol(&record.key.cluster),
            uid: u128::from_be_bytes(*first.expect("a digest has 32 bytes")),
        }
    }
}

impl Row {
    pub(super) fn new(record: &Record, symbols: &mut Symbols) -> Self {
        let (key, summary) = (&record.key, &record.summary);
        let Details {
            created_at,
            operation,
            operation_started_at,
            automated,
            ref repositories,
            ref parent,
        } = summary.details;
        Self {
            runtime_name: symbols.symbol(&key.runtime_name),
            namespace: symbols.symbol(&key.namespace),
            name: symbols.symbol(&key.name),
            cluster: symbols.symbol(&key.cluster),
            runtime: symbols.symbol(&key.runtime),
            project: symbols.symbol(&summary.traits.project),
            labels: symbols.label_set(&summary.traits.labels),
            sync: summary.sync,
            health: summary.health,
            source: summary.source,
            operation,
            automated,
            repositories: symbols.symbol(repositories),
            parent: symbols.symbol(parent),
            created_at,
            operation_started_at,
            received_at: record.received_at,
            change: record.change,
        }
    }

    /// What filters look at.
    pub(super) fn facts<'a>(&self, symbols: &'a Symbols) -> Facts<'a> {
        Facts {
            runtime_name: symbols.text(self.runtime_name),
            cluster: symbols.text(self.cluster),
            namespace: symbols.text(self.namespace),
            name: symbols.text(self.name),
            project: symbols.text(self.project),
            labels: symbols.labels(self.labels),
            sync: self.sync,
            health: self.health,
            source: self.source,
            operation: self.operation,
            automated: self.automated,
            repositories: symbols.text(self.repositories),
            parent: symbols.text(self.parent),
            received_at: self.received_at,
        }
    }

    /// What an order compares first: the same as of its place.
    pub(super) fn value<'a>(&self, sort: Sort, symbols: &'a Symbols) -> (u64, &'a str) {
        let text = |symbol| (0, symbols.text(symbol));
        match sort {
            Sort::Runtime => text(self.runtime_name),
            Sort::Name => text(self.name),
            Sort::Namespace => text(self.namespace),
            Sort::Project => text(self.project),
            Sort::Cluster => text(self.cluster),
            Sort::Sync => (self.sync.urgency(), ""),
            Sort::Health => (self.health.urgency(), ""),
            Sort::Changed => (u64::MAX - self.change, ""),
            Sort::Created => (Sort::latest_first(self.created_at), ""),
            Sort::LastOperation => (Sort::latest_first(self.operation_started_at), ""),
        }
    }

    pub(super) fn compare_keys(&self, other: &Self, symbols: &Symbols) -> Ordering {
        let pairs = [
            (self.runtime_name, other.runtime_name),
            (self.namespace, other.namespace),
            (self.name, other.name),
            (self.cluster, other.cluster),
            (self.runtime, other.runtime),
        ];
        let unequal = pairs.into_iter().find(|(one, other)| one != other);
        unequal.map_or(Ordering::Equal, |(one, other)| {
            symbols.text(one).cmp(symbols.text(other))
        })
    }

    /// Compares with a key that may be of no row.
    pub(super) fn compare_with_key(&self, key: &Key, symbols: &Symbols) -> Ordering {
        let pairs = [
            (self.runtime_name, &key.runtime_name),
            (self.namespace, &key.namespace),
            (self.name, &key.name),
            (self.cluster, &key.cluster),
            (self.runtime, &key.runtime),
        ];
        let mut orders = pairs
            .into_iter()
            .map(|(symbol, text)| symbols.text(symbol).cmp(text));
        orders
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}
