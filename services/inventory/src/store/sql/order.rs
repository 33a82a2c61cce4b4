//! The orders of lists as SQL. A row of a label is in the order of keys by columns of its own.

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
        let mut separator = "";
        for column in self.columns() {
            query.push(separator).push(column);
            separator = ", ";
        }
    }

    /// Adds that rows are on one side of a place.
    pub(super) fn push_side(self, query: &mut Query, side: Side, place: Option<&Place>) {
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
        query.push(" AND (");
        self.push_columns(query);
        query.push(match side {
            Side::After => ") > ",
            Side::UpTo => ") <= ",
        });
        query.push_list(self.columns().iter().map(|column| value(column, place)));
    }
}

fn value(column: &str, place: &Place) -> Value {
    let key = &place.key;
    let text = match column {
        "runtime_name" | "at_runtime" => &key.runtime_name,
        "namespace" | "at_namespace" => &key.namespace,
        "name" | "at_name" => &key.name,
        "cluster" | "at_cluster" => &key.cluster,
        "runtime" | "at_id" => &key.runtime,
        _ => &place.text,
    };
    Value::from(text.as_str())
}
