//! Sort orders of lists and their cursors as SQL. The label index repeats the key columns to have their order.

use std::cmp::Ordering;

use causeway_database::{Query, Value};

use super::read::signed;
use crate::application::{Place, Sort};

/// Columns that a scan is ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScanOrder {
    /// Columns of a list order. Orders by a state scan one state at a time, in the order of keys.
    By(Sort),
    /// Key columns of the label index.
    ByLabel,
}

/// Columns that have one value in all rows of the query.
pub(super) type FixedColumns<'a> = [(&'static str, &'a str)];

/// Side of a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Rows after the cursor.
    After,
    /// Rows up to and including the cursor.
    UpTo,
}

const KEY: [&str; 5] = ["runtime_name", "namespace", "name", "cluster", "runtime"];

impl ScanOrder {
    fn columns(self) -> &'static [&'static str] {
        match self {
            // The last three are not asked of a database.
            Self::By(
                Sort::Runtime
                | Sort::Sync
                | Sort::Health
                | Sort::Created
                | Sort::Cluster
                | Sort::LastOperation,
            ) => &KEY,
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
            Self::ByLabel => &[
                "at_runtime",
                "at_namespace",
                "at_name",
                "at_cluster",
                "at_id",
            ],
        }
    }

    /// Adds ORDER BY and LIMIT.
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

    /// Adds the cursor condition. Fixed columns are left out: if they lead the index, the database would compare all rows before the
    /// cursor.
    pub(super) fn push_side(
        self,
        query: &mut Query,
        side: Side,
        place: Option<&Place>,
        fixed: &FixedColumns<'_>,
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
        let (columns, side_of_rows) = self.compared(place, fixed);
        let operator = match (side, side_of_rows) {
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
            // All columns are fixed, and no row is on that side.
            query.push(" AND 1 = 0");
        }
    }

    /// Columns to compare with the cursor, and the order of rows that are equal in them.
    fn compared(self, place: &Place, fixed: &FixedColumns<'_>) -> (Vec<&'static str>, Ordering) {
        let mut columns = Vec::new();
        for column in self.columns() {
            let value = fixed.iter().find(|(name, _)| name == column);
            let Some((_, value)) = value else {
                columns.push(*column);
                continue;
            };
            let side_of_rows = (*value).cmp(text(column, place));
            if side_of_rows != Ordering::Equal {
                return (columns, side_of_rows);
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
