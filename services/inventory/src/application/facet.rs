//! How many applications have each value of a field.

use std::collections::HashMap;

use super::{Facts, Filter, Patterns};

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
    /// The phase of its operation.
    Operation,
    /// Whether it syncs automatically.
    Automated,
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

/// What to count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FacetQuery {
    /// By these fields.
    pub fields: Vec<Field>,
    /// By the values of these labels.
    pub labels: Vec<String>,
    /// At most so many values of each.
    pub most: usize,
    /// Whether each field is counted without its own condition of the filter.
    pub own_condition_left_out: bool,
}

/// The counts of one label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelFacet {
    /// The label.
    pub label: String,
    /// Values and how many have them, the most frequent first, then by value.
    pub values: Vec<(String, u64)>,
    /// How many have a value that is not among them.
    pub others: u64,
}

/// All counts of one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FacetCounts {
    /// By field.
    pub facets: Facets,
    /// By label.
    pub labels: Vec<LabelFacet>,
    /// The most frequent labels and how many have them.
    pub label_keys: Vec<(String, u64)>,
}

impl Filter {
    /// The filter without its condition on a field.
    #[must_use]
    pub fn without_field(&self, field: Field) -> Self {
        let mut filter = self.clone();
        let (name, patterns, excluded): (&mut String, &mut Patterns, &mut Patterns) = match field {
            Field::Runtime => (
                &mut filter.runtime,
                &mut filter.runtimes,
                &mut filter.exclude.runtimes,
            ),
            Field::Cluster => (
                &mut filter.cluster,
                &mut filter.clusters,
                &mut filter.exclude.clusters,
            ),
            Field::Namespace => (
                &mut filter.namespace,
                &mut filter.namespaces,
                &mut filter.exclude.namespaces,
            ),
            Field::Project => (
                &mut filter.project,
                &mut filter.projects,
                &mut filter.exclude.projects,
            ),
            Field::Sync | Field::Health | Field::Source | Field::Operation | Field::Automated => {
                filter.clear_state(field);
                return filter;
            }
        };
        name.clear();
        *patterns = Patterns::default();
        *excluded = Patterns::default();
        filter
    }

    fn clear_state(&mut self, field: Field) {
        match field {
            Field::Sync => {
                self.sync.clear();
                self.exclude.sync.clear();
            }
            Field::Health => {
                self.health.clear();
                self.exclude.health.clear();
            }
            Field::Source => self.source.clear(),
            Field::Operation => self.operation.clear(),
            Field::Automated => self.automated = None,
            Field::Runtime | Field::Cluster | Field::Namespace | Field::Project => {}
        }
    }

    /// The filter without its conditions on a label.
    #[must_use]
    pub fn without_label(&self, label: &str) -> Self {
        let mut filter = self.clone();
        filter
            .labels
            .retain(|requirement| requirement.label != label);
        filter
    }
}

impl Field {
    /// All fields in their order.
    pub const ALL: [Self; 9] = [
        Self::Runtime,
        Self::Cluster,
        Self::Namespace,
        Self::Project,
        Self::Sync,
        Self::Health,
        Self::Source,
        Self::Operation,
        Self::Automated,
    ];

    /// Fields that are columns of a store.
    pub const STORED: [Self; 7] = [
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
    pub fn value<'a>(self, facts: &Facts<'a>) -> &'a str {
        match self {
            Self::Runtime => facts.runtime_name,
            Self::Cluster => facts.cluster,
            Self::Namespace => facts.namespace,
            Self::Project => facts.project,
            Self::Sync => facts.sync.as_str(),
            Self::Health => facts.health.as_str(),
            Self::Source => facts.source.as_str(),
            Self::Operation => facts.operation.as_str(),
            Self::Automated if facts.automated => "true",
            Self::Automated => "false",
        }
    }
}

impl Facets {
    /// Counts applications; of each field at most `most` values are told.
    #[must_use]
    pub fn of<'a>(
        applications: impl Iterator<Item = Facts<'a>>,
        fields: &[Field],
        most: usize,
    ) -> Self {
        let mut counts: Vec<HashMap<String, u64>> = vec![HashMap::new(); fields.len()];
        let mut total = 0;
        for facts in applications {
            total += 1;
            for (field, counts) in fields.iter().zip(&mut counts) {
                *counts.entry(field.value(&facts).to_owned()).or_default() += 1;
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
    pub fn new<T: Ord + Into<String>>(
        field: Field,
        counts: impl IntoIterator<Item = (T, u64)>,
        most: usize,
    ) -> Self {
        let (values, others) = ranked(counts, most);
        Self {
            field,
            values,
            others,
        }
    }
}

/// The most frequent values first, then by value; and how many have a value that is not among them.
pub(crate) fn ranked<T: Ord + Into<String>>(
    counts: impl IntoIterator<Item = (T, u64)>,
    most: usize,
) -> (Vec<(String, u64)>, u64) {
    let mut values: Vec<(T, u64)> = counts.into_iter().collect();
    let order =
        |one: &(T, u64), other: &(T, u64)| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0));
    let mut others = 0;
    // Values may be as many as applications: only those that are told are sorted.
    if most < values.len() {
        values.select_nth_unstable_by(most, order);
        others = values.drain(most..).map(|(_, count)| count).sum();
    }
    values.sort_unstable_by(order);
    let values = values.into_iter();
    let values = values.map(|(value, count)| (value.into(), count));
    (values.collect(), others)
}
