//! Counts of rows by field and label.

use super::{row::Row, symbols::Symbol, table::Table};
use crate::application::{
    Facet, FacetCounts, FacetQuery, Facets, Field, Filter, LabelFacet, ranked,
};

/// Label keys in an answer.
const MAX_LABEL_KEYS: usize = 100;

impl Table {
    /// Counts what matches, each field of it without its own condition if the query says so.
    pub(super) fn counts(&mut self, filter: &Filter, query: &FacetQuery) -> FacetCounts {
        let own = query.own_condition_left_out;
        let field = |field: &Field| {
            if own {
                filter.without_field(*field)
            } else {
                filter.clone()
            }
        };
        let label = |label: &String| {
            if own {
                filter.without_label(label)
            } else {
                filter.clone()
            }
        };
        let facets = query.fields.iter();
        let facets = facets.map(|it| self.facet(&field(it), *it, query.most));
        let facets = facets.collect();
        let labels = query.labels.iter();
        let labels = labels.map(|it| self.label_facet(&label(it), it, query.most));
        let labels = labels.collect();
        let matched = self.matched(filter);
        let total = self.matched_at(matched).count() as u64;
        FacetCounts {
            facets: Facets { total, facets },
            labels,
            label_keys: self.label_keys(filter),
        }
    }

    fn facet(&mut self, filter: &Filter, field: Field, most: usize) -> Facet {
        let matched = self.matched(filter);
        let slots = self.matched_at(matched).slots();
        let rows = slots.map(|slot| self.slots.row(slot));
        let Some(symbol) = symbol_of(field) else {
            return Facet::new(field, by_word(rows, field), most);
        };
        let mut counts = vec![0_u64; self.symbols.text_count()];
        rows.for_each(|row| counts[symbol(row).index()] += 1);
        Facet::new(field, self.named(&counts), most)
    }

    fn named(&self, counts: &[u64]) -> Vec<(&str, u64)> {
        let counted = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        counted
            .map(|(index, count)| (self.symbols.text_at(index), *count))
            .collect()
    }

    /// Number of matches by set of labels.
    fn label_sets(&mut self, filter: &Filter) -> Vec<u64> {
        let matched = self.matched(filter);
        let mut counts = vec![0; self.symbols.label_set_count()];
        for slot in self.matched_at(matched).slots() {
            counts[self.slots.row(slot).labels.index()] += 1;
        }
        counts
    }

    fn label_keys(&mut self, filter: &Filter) -> Vec<(String, u64)> {
        let counts = self.by_label(filter, |(label, _)| Some(label));
        ranked(self.named(&counts), MAX_LABEL_KEYS).0
    }

    fn label_facet(&mut self, filter: &Filter, label: &str, most: usize) -> LabelFacet {
        let wanted = self.symbols.find(label);
        let counts = self.by_label(filter, |(label, value)| {
            (Some(label) == wanted).then_some(value)
        });
        let (values, others) = ranked(self.named(&counts), most);
        LabelFacet {
            label: label.to_owned(),
            values,
            others,
        }
    }

    /// Number of matches by a symbol of each of their labels.
    fn by_label(
        &mut self,
        filter: &Filter,
        symbol: impl Fn((Symbol, Symbol)) -> Option<Symbol>,
    ) -> Vec<u64> {
        let sets = self.label_sets(filter);
        let mut counts = vec![0; self.symbols.text_count()];
        for (index, number) in sets.iter().enumerate().filter(|(_, number)| **number > 0) {
            let pairs = self.symbols.pairs_at(index).iter();
            for found in pairs.filter_map(|pair| symbol(*pair)) {
                counts[found.index()] += number;
            }
        }
        counts
    }
}

fn symbol_of(field: Field) -> Option<fn(&Row) -> Symbol> {
    match field {
        Field::Runtime => Some(|row| row.runtime_name),
        Field::Cluster => Some(|row| row.cluster),
        Field::Namespace => Some(|row| row.namespace),
        Field::Project => Some(|row| row.project),
        Field::Sync | Field::Health | Field::Source | Field::Operation | Field::Automated => None,
    }
}

/// Counts of a field with few values.
fn by_word<'a>(
    rows: impl Iterator<Item = &'a Row>,
    field: Field,
) -> impl IntoIterator<Item = (&'static str, u64)> {
    let mut counts: Vec<(&str, u64)> = Vec::new();
    for row in rows {
        let word = word(row, field);
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts
}

fn word(row: &Row, field: Field) -> &'static str {
    match field {
        Field::Sync => row.sync.as_str(),
        Field::Health => row.health.as_str(),
        Field::Source => row.source.as_str(),
        Field::Operation => row.operation.as_str(),
        Field::Automated if row.automated => "true",
        Field::Automated => "false",
        Field::Runtime | Field::Cluster | Field::Namespace | Field::Project => "",
    }
}
