//! The orders of a list. Every order ends with the key, so that it is total and a page goes on exactly where the last one ended.

use super::{Health, Key, Record, Summary, Sync};

/// In which order.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
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
}

impl Sort {
    /// The place of an application in this order.
    #[must_use]
    pub fn place(self, key: &Key, summary: &Summary, change: u64) -> Place {
        let rank = match self {
            Self::Runtime | Self::Name | Self::Namespace | Self::Project => 0,
            Self::Sync => position(&Sync::BY_URGENCY, &summary.sync),
            Self::Health => position(&Health::BY_URGENCY, &summary.health),
            Self::Changed => u64::MAX - change,
        };
        let text = match self {
            Self::Name => &key.name,
            Self::Namespace => &key.namespace,
            Self::Project => &*summary.traits.project,
            Self::Runtime | Self::Sync | Self::Health | Self::Changed => "",
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
