//! The orders of a list. Every order ends with the key, so that it is total and a page goes on exactly where the last one ended.

use std::cmp::Ordering;

use super::{Health, Key, Record, Summary, Sync};

/// In which order.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// By key.
    #[default]
    Runtime,
    /// By name.
    Name,
    /// By namespace.
    Namespace,
    /// By project.
    Project,
    /// What is out of sync first.
    Sync,
    /// What is broken first.
    Health,
    /// What changed last first.
    Changed,
    /// What was created last first.
    Created,
    /// By cluster.
    Cluster,
    /// What began its last operation last first.
    LastOperation,
}

/// The place of an application in an order.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// What comes first by a number.
    pub rank: u64,
    /// What comes first by a text.
    pub text: String,
    /// Its key.
    pub key: Key,
}

impl Sync {
    /// All, in the order of lists.
    pub const BY_URGENCY: [Self; 4] = [
        Self::OutOfSync,
        Self::Unknown,
        Self::Unspecified,
        Self::Synced,
    ];

    pub(crate) fn urgency(self) -> u64 {
        position(&Self::BY_URGENCY, &self)
    }
}

impl Health {
    /// All, in the order of lists.
    pub const BY_URGENCY: [Self; 7] = [
        Self::Degraded,
        Self::Missing,
        Self::Unknown,
        Self::Unspecified,
        Self::Progressing,
        Self::Suspended,
        Self::Healthy,
    ];

    pub(crate) fn urgency(self) -> u64 {
        position(&Self::BY_URGENCY, &self)
    }
}

impl Sort {
    /// All orders.
    pub const ALL: [Self; 10] = [
        Self::Runtime,
        Self::Name,
        Self::Namespace,
        Self::Project,
        Self::Sync,
        Self::Health,
        Self::Changed,
        Self::Created,
        Self::Cluster,
        Self::LastOperation,
    ];

    /// A time as a rank, the latest first; what has none is last.
    pub(crate) fn latest_first(millis: i64) -> u64 {
        u64::MAX - u64::try_from(millis).unwrap_or(0)
    }

    /// True if stores have an index in this order.
    #[must_use]
    pub fn is_indexed(self) -> bool {
        !matches!(self, Self::Created | Self::Cluster | Self::LastOperation)
    }

    /// Compares two places of this order, or of its reverse, in which ties keep their order.
    #[must_use]
    pub fn compare(self, descending: bool, one: &Place, other: &Place) -> Ordering {
        let value = if self == Self::Runtime {
            one.key.runtime_name.cmp(&other.key.runtime_name)
        } else {
            (one.rank, &one.text).cmp(&(other.rank, &other.text))
        };
        let value = if descending { value.reverse() } else { value };
        value.then_with(|| one.key.cmp(&other.key))
    }

    /// The place of an application in this order.
    #[must_use]
    pub fn place(self, key: &Key, summary: &Summary, change: u64) -> Place {
        let rank = match self {
            Self::Runtime | Self::Name | Self::Namespace | Self::Project | Self::Cluster => 0,
            Self::Sync => summary.sync.urgency(),
            Self::Health => summary.health.urgency(),
            Self::Changed => u64::MAX - change,
            Self::Created => Self::latest_first(summary.details.created_at),
            Self::LastOperation => Self::latest_first(summary.details.operation_started_at),
        };
        let text = match self {
            Self::Name => &key.name,
            Self::Namespace => &key.namespace,
            Self::Project => &*summary.traits.project,
            Self::Cluster => &key.cluster,
            Self::Runtime
            | Self::Sync
            | Self::Health
            | Self::Changed
            | Self::Created
            | Self::LastOperation => "",
        };
        Place {
            rank,
            text: text.to_owned(),
            key: key.clone(),
        }
    }

    /// The place of a record in this order.
    #[must_use]
    pub fn place_of(self, record: &Record) -> Place {
        self.place(&record.key, &record.summary, record.change)
    }
}

fn position<T: PartialEq>(all: &[T], one: &T) -> u64 {
    let position = all.iter().position(|it| it == one);
    position.map_or(u64::MAX, |position| position as u64)
}

#[cfg(test)]
mod tests;
