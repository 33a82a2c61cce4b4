//! How many applications have each value of a field.

use std::collections::HashMap;

use super::{Key, Summary};

/// What applications are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The runtime's name.
    Runtime,
    /// The cluster.
    Cluster,
    /// The namespace.
    Namespace,
    /// The project.
    Project,
    /// Whether the cluster has what Git says.
    Sync,
    /// Whether it works.
    Health,
    /// Where its manifests come from.
    Source,
}

/// The counts of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facet {
    /// The field.
    pub field: Field,
    /// Values and how many have them, the most frequent first, then by value.
    pub values: Vec<(String, u64)>,
    /// How many have a value that is not among them.
    pub others: u64,
}

/// Counts of one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facets {
    /// How many there are.
    pub total: u64,
    /// By each field that was asked for, in the order of the fields.
    pub facets: Vec<Facet>,
}

impl Field {
    /// All fields in their order.
    pub const ALL: [Self; 7] = [
        Self::Runtime,
        Self::Cluster,
        Self::Namespace,
        Self::Project,
        Self::Sync,
        Self::Health,
        Self::Source,
    ];

    /// The value that an application has.
    #[must_use]
    pub fn value(self, key: &Key, summary: &Summary) -> String {
        match self {
            Self::Runtime => key.runtime_name.clone(),
            Self::Cluster => key.cluster.clone(),
            Self::Namespace => key.namespace.clone(),
            Self::Project => summary.traits.project.to_string(),
            Self::Sync => summary.sync.as_str().to_owned(),
            Self::Health => summary.health.as_str().to_owned(),
            Self::Source => summary.source.as_str().to_owned(),
        }
    }
}

impl Facets {
    /// Counts applications; of each field at most `most` values are told.
    #[must_use]
    pub fn of<'a>(
        applications: impl Iterator<Item = (&'a Key, &'a Summary)>,
        fields: &[Field],
        most: usize,
    ) -> Self {
        let mut counts: Vec<HashMap<String, u64>> = vec![HashMap::new(); fields.len()];
        let mut total = 0;
        for (key, summary) in applications {
            total += 1;
            for (field, counts) in fields.iter().zip(&mut counts) {
                *counts.entry(field.value(key, summary)).or_default() += 1;
            }
        }
        let facets = fields.iter().zip(counts);
        let facets = facets.map(|(field, counts)| Facet::new(*field, counts, most));
        Self {
            total,
            facets: facets.collect(),
        }
    }
}

impl Facet {
    /// Of all counts of a field.
    #[must_use]
    pub fn new(field: Field, counts: impl IntoIterator<Item = (String, u64)>, most: usize) -> Self {
        let mut values: Vec<(String, u64)> = counts.into_iter().collect();
        values.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        let rest = values.split_off(most.min(values.len()));
        Self {
            field,
            values,
            others: rest.into_iter().map(|(_, count)| count).sum(),
        }
    }
}
