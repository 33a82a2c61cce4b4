//! The orders of lists as SQL. A row of a label is in the order of keys by columns of its own.

use std::cmp::Ordering;

use causeway_database::{Query, Value};

use super::read::signed;
use crate::application::{Place, Sort};

/// By which columns rows come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Walk {
    /// Those of an order. Orders by a state go through one state at a time, and within it by key.
    By(Sort),
    /// Those of the rows of a label, by key.
    Labelled,
}

/// Values that columns have in all rows that are asked for.
pub(super) type Fixed<'a> = [(&'static str, &'a str)];

/// Which side of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// What comes after it.
    After,
    /// It and what comes before it.
    UpTo,
}

const KEY: [&str; 5] = ["runtime_name", "namespace", "name", "cluster", "runtime"];

impl Walk {
    fn columns(self) -> &'static [&'static str] {
        match self {
            Self::By(Sort::Runtime | Sort::Sync | Sort::Health) => &KEY,
            Self::By(Sort::Name) => &["name", "runtime_name", "namespace", "cluster", "runtime"],
            Self::By(Sort::Namespace) => {
                &["namespace", "runtime_name", "name", "cluster", "runtime"]
            }
            Self::By(Sort::Project) => &[
                "project",
                "runtime_name",
                "namespace",
                "name",
                "cluster",
                "runtime",
            ],
            Self::By(Sort::Changed) => &["change"],
            Self::Labelled => &[
                "at_runtime",
                "at_namespace",
                "at_name",
                "at_cluster",
                "at_id",
            ],
        }
    }

    /// Adds the order and how many rows at most.
    pub(super) fn push_order(self, query: &mut Query, limit: i64) {
        query.push(" ORDER BY ");
        self.push_columns(query);
        if self == Self::By(Sort::Changed) {
            query.push(" DESC");
        }
        query.push(" LIMIT ").push_bind(limit);
    }

    fn push_columns(self, query: &mut Query) {
        push_names(query, self.columns());
    }

    /// Adds that rows are on one side of a place. Columns that are fixed are left out: in an index of which they are the first, a
    /// database would go through all rows before the place to compare them.
    pub(super) fn push_side(
        self,
        query: &mut Query,
        side: Side,
        place: Option<&Place>,
        fixed: &Fixed<'_>,
    ) {
        let Some(place) = place else {
            return;
        };
        if self == Self::By(Sort::Changed) {
            query.push(match side {
                Side::After => " AND change < ",
                Side::UpTo => " AND change >= ",
            });
            query.push_bind(signed(u64::MAX - place.rank));
            return;
        }
        let (columns, rows) = self.compared(place, fixed);
        let operator = match (side, rows) {
            (Side::After, Ordering::Greater) => ") >= ",
            (Side::After, Ordering::Equal | Ordering::Less) => ") > ",
            (Side::UpTo, Ordering::Greater) => ") < ",
            (Side::UpTo, Ordering::Equal | Ordering::Less) => ") <= ",
        };
        if !columns.is_empty() {
            query.push(" AND (");
            push_names(query, &columns);
            query.push(operator);
            query.push_list(columns.iter().map(|column| value(column, place)));
        } else if [") > ", ") < "].contains(&operator) {
            // No row is on that side.
            query.push(" AND 1 = 0");
        }
    }

    /// The columns by which rows differ in their order to a place, and how those are to it that do not differ by them.
    fn compared(self, place: &Place, fixed: &Fixed<'_>) -> (Vec<&'static str>, Ordering) {
        let mut columns = Vec::new();
        for column in self.columns() {
            let told = fixed.iter().find(|(name, _)| name == column);
            let Some((_, told)) = told else {
                columns.push(*column);
                continue;
            };
            let rows = (*told).cmp(text(column, place));
            if rows != Ordering::Equal {
                return (columns, rows);
            }
        }
        (columns, Ordering::Equal)
    }
}

fn push_names(query: &mut Query, columns: &[&'static str]) {
    let mut separator = "";
    for column in columns {
        query.push(separator).push(column);
        separator = ", ";
    }
}

fn value(column: &str, place: &Place) -> Value {
    Value::from(text(column, place))
}

fn text<'a>(column: &str, place: &'a Place) -> &'a str {
    let key = &place.key;
    match column {
        "runtime_name" | "at_runtime" => &key.runtime_name,
        "namespace" | "at_namespace" => &key.namespace,
        "name" | "at_name" => &key.name,
        "cluster" | "at_cluster" => &key.cluster,
        "runtime" | "at_id" => &key.runtime,
        _ => &place.text,
    }
}

#[cfg(test)]
mod tests;
