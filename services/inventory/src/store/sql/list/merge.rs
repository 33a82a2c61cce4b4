//! Pages merged from several index lookups.

use std::cmp::Ordering;

use causeway_database::{Database, Query, query};

use super::{KEY, ListQuery, MergedPage};
use crate::{
    application::{NextPage, Page, Place, Record, Sort},
    store::{
        StoreError,
        predicates::{IndexPredicate, push_predicate, push_rest, single_rule},
        sql::{
            read::{columns, push_columns, rows_up_to},
            scan_order::{ScanOrder, Side},
        },
    },
};

/// Column names of the looked-up values: a lookup has at most two.
const VALUE_COLUMNS: [&str; 2] = ["wanted_first", "wanted_second"];

/// Runtimes per query.
const MAX_RUNTIMES: i64 = if cfg!(test) { 1 } else { 32 };

/// Whether each part of a UNION has its own order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    Plain,
    Ordered,
}

/// True if all lookups are by this column only.
fn have_only_column(predicates: &[IndexPredicate<'_>], column: &str) -> bool {
    let of = |predicate: &IndexPredicate<'_>| matches!(predicate.equal[..], [(only, _)] if only == column);
    predicates.iter().all(of)
}

/// True if lookups differ only in the values of the same columns, so that no row is found twice.
fn have_same_columns(predicates: &[IndexPredicate<'_>]) -> bool {
    let Some((first, others)) = predicates.split_first() else {
        return false;
    };
    let columns = |predicate: &IndexPredicate<'_>| -> Vec<_> {
        predicate.equal.iter().map(|(column, _)| *column).collect()
    };
    let apart = |(number, one): (usize, &IndexPredicate<'_>)| !predicates[..number].contains(one);
    let same =
        |other: &IndexPredicate<'_>| other.rule == first.rule && columns(other) == columns(first);
    first.label.is_none()
        && (1..=VALUE_COLUMNS.len()).contains(&first.equal.len())
        && others.iter().all(same)
        && predicates.iter().enumerate().all(apart)
}

/// Columns with the same value in all lookups.
fn common_values<'a>(
    predicates: &[IndexPredicate<'a>],
) -> impl Iterator<Item = (&'static str, &'a str)> {
    let first = predicates.first().map(|first| first.equal.clone());
    let is_common = |pair: &_| {
        predicates
            .iter()
            .all(|predicate| predicate.equal.contains(pair))
    };
    first.into_iter().flatten().filter(is_common)
}

impl ListQuery<'_> {
    /// Next rows of a query. `filters_rows` is true if it may scan more rows than it returns.
    pub(super) async fn fetch(
        &self,
        database: &Database,
        filters_rows: bool,
        find: impl FnOnce(&mut Query) -> ScanOrder,
    ) -> Result<Page<Record>, StoreError> {
        // PostgreSQL reads the row of each scanned index entry, unless the index has all selected columns.
        if database.is_shared() && filters_rows {
            return self.fetch_by_id(database, find).await;
        }
        let mut query = columns(self.view, self.record_detail());
        let order = find(&mut query);
        self.fetch_page(database, query, order).await
    }

    /// Selects the next ids first, and then only their rows.
    pub(super) async fn fetch_by_id(
        &self,
        database: &Database,
        find: impl FnOnce(&mut Query) -> ScanOrder,
    ) -> Result<Page<Record>, StoreError> {
        // SQLite keeps the order of a CROSS JOIN. Otherwise it would scan a whole index to avoid the sort.
        let mut query = columns(self.view, self.record_detail());
        query.push(" FROM (SELECT id AS near_id");
        let order = find(&mut query);
        order.push_order(&mut query, rows_up_to(self.limit + 1));
        query.push(") AS found CROSS JOIN application WHERE id = near_id AND deleted = 0");
        query
            .push(" AND account = ")
            .push_bind(self.account.as_str());
        self.fetch_page(database, query, self.scan_order()).await
    }

    /// Merges lookups. If they are by runtime and the order begins with it, first come the rest of the cursor's runtime and then the
    /// later ones, which need no cursor condition.
    pub(super) async fn merge_lookups(
        &self,
        database: &Database,
        after: Option<&Place>,
        predicates: &[IndexPredicate<'_>],
        merged: &mut MergedPage,
    ) -> Result<(), StoreError> {
        let of: Option<Vec<&str>> = predicates.iter().map(IndexPredicate::runtime).collect();
        let (Some(of), Some(place), true) = (of, after, self.is_by_key()) else {
            let page = self.run_lookups(database, after, predicates).await?;
            merged.extend(page, self.limit);
            return Ok(());
        };
        let here = place.key.runtime_name.as_str();
        for (rows, after) in [(Ordering::Equal, after), (Ordering::Greater, None)] {
            let chunk = of.iter().zip(predicates);
            let chunk = chunk.filter(|(runtime, _)| (**runtime).cmp(here) == rows);
            let chunk: Vec<IndexPredicate<'_>> =
                chunk.map(|(_, predicate)| predicate.clone()).collect();
            if chunk.is_empty() {
                continue;
            }
            if merged.page.items.len() >= self.limit {
                merged.page.rest = NextPage::More;
                return Ok(());
            }
            let page = self.run_lookups(database, after, &chunk).await?;
            if !merged.extend(page, self.limit) || merged.page.rest != NextPage::End {
                return Ok(());
            }
        }
        Ok(())
    }

    fn is_by_key(&self) -> bool {
        matches!(self.filter.sort, Sort::Runtime | Sort::Sync | Sort::Health)
    }

    async fn run_lookups(
        &self,
        database: &Database,
        after: Option<&Place>,
        predicates: &[IndexPredicate<'_>],
    ) -> Result<Page<Record>, StoreError> {
        if let [predicate] = predicates {
            let find = |query: &mut Query| self.push_lookup(query, predicate, after);
            return self
                .fetch(database, self.filters_rows(predicate), find)
                .await;
        }
        if !have_same_columns(predicates) {
            return self.union_nearest(database, after, predicates).await;
        }
        match (database.is_shared(), self.is_by_key()) {
            (false, true) => self.union_ordered(database, after, predicates).await,
            (false, false) => self.union_nearest(database, after, predicates).await,
            (true, true) if have_only_column(predicates, "project") => {
                self.union_ordered(database, after, predicates).await
            }
            (true, true) if have_only_column(predicates, "namespace") => {
                let page = self.lateral_by_runtime(database, after, predicates).await?;
                match page.rest {
                    NextPage::End => self.lateral(database, after, predicates).await,
                    NextPage::More | NextPage::ScanPosition(_) => Ok(page),
                }
            }
            (true, _) => self.lateral(database, after, predicates).await,
        }
    }

    /// True if the rows of a lookup are filtered further.
    fn filters_rows(&self, predicate: &IndexPredicate<'_>) -> bool {
        let all = single_rule(self.visible).is_some_and(|rule| predicate.covers_rule(rule));
        self.filter.is_searching() || !all
    }

    /// UNION ALL in order: databases merge ordered parts and read no more than a page. PostgreSQL does so only if each part states its
    /// order, and if the order begins with a column that no part fixes.
    async fn union_ordered(
        &self,
        database: &Database,
        after: Option<&Place>,
        predicates: &[IndexPredicate<'_>],
    ) -> Result<Page<Record>, StoreError> {
        let filters_rows = predicates
            .iter()
            .any(|predicate| self.filters_rows(predicate));
        if database.is_shared() && filters_rows {
            let find = |query: &mut Query| {
                query.push(" FROM (");
                let ids = |query: &mut Query| {
                    query.push(self.sort_columns()).push(KEY);
                };
                self.push_union(query, Parts::Ordered, ids, (after, predicates));
                query.push(") AS nearest");
                self.scan_order()
            };
            return self.fetch_by_id(database, find).await;
        }
        let mut query = query("");
        let merged = |query: &mut Query| push_columns(query, self.view, self.record_detail());
        let parts = if database.is_shared() {
            Parts::Ordered
        } else {
            Parts::Plain
        };
        self.push_union(&mut query, parts, merged, (after, predicates));
        self.fetch_page(database, query, self.scan_order()).await
    }

    /// Adds one UNION part per lookup.
    fn push_union(
        &self,
        query: &mut Query,
        parts: Parts,
        columns: impl Fn(&mut Query),
        (after, predicates): (Option<&Place>, &[IndexPredicate<'_>]),
    ) {
        let mut separator = "";
        for predicate in predicates {
            query.push(separator);
            separator = " UNION ALL ";
            if parts == Parts::Ordered {
                query.push("(");
            }
            columns(query);
            let order = self.push_lookup(query, predicate, after);
            if parts == Parts::Ordered {
                order.push_order(query, rows_up_to(self.limit + 1));
                query.push(")");
            }
        }
    }

    /// Lookups by namespace, runtime by runtime, which is the order of keys: PostgreSQL then reads no more than a page. If the page is
    /// not full, later runtimes were not searched.
    async fn lateral_by_runtime(
        &self,
        database: &Database,
        after: Option<&Place>,
        predicates: &[IndexPredicate<'_>],
    ) -> Result<Page<Record>, StoreError> {
        let mut query = query("");
        self.push_runtimes(&mut query, after);
        push_columns(&mut query, self.view, self.record_detail());
        query.push(" FROM (SELECT id AS near_id FROM (SELECT at_runtime, wanted COLLATE \"C\" AS at_namespace FROM (SELECT at_runtime FROM runtimes WHERE at_runtime IS NOT NULL LIMIT ");
        query.push_bind(MAX_RUNTIMES).push(") AS near_by");
        let mut separator = " CROSS JOIN (VALUES ";
        for predicate in predicates {
            query.push(separator);
            query.push_list(predicate.equal.iter().map(|(_, value)| *value));
            separator = ", ";
        }
        query.push(") AS namespaces (wanted) ORDER BY at_runtime, at_namespace) AS places CROSS JOIN LATERAL (");
        query.push(self.sort_columns()).push(KEY);
        query.push(" FROM application WHERE deleted = 0 AND account = ");
        query.push_bind(self.account.as_str());
        query.push(" AND runtime_name = at_runtime AND namespace = at_namespace");
        push_rest(&mut query, &predicates[0], self.visible);
        self.push_filter(&mut query, &predicates[0]);
        let order = self.scan_order();
        order.push_side(&mut query, Side::After, after, &self.fixed_values());
        order.push_order(&mut query, rows_up_to(self.limit + 1));
        query.push(") AS near ORDER BY at_runtime, at_namespace, name, cluster, runtime LIMIT ");
        query.push_bind(rows_up_to(self.limit + 1));
        query.push(") AS found CROSS JOIN application WHERE id = near_id AND deleted = 0");
        query
            .push(" AND account = ")
            .push_bind(self.account.as_str());
        self.fetch_page(database, query, order).await
    }

    /// Adds a recursive query of the distinct runtimes from the cursor on (a loose index scan).
    fn push_runtimes(&self, query: &mut Query, after: Option<&Place>) {
        let from = after.map_or("", |place| place.key.runtime_name.as_str());
        let next = |query: &mut Query, than: &'static str| {
            query.push(
                "SELECT (SELECT runtime_name FROM application WHERE deleted = 0 AND account = ",
            );
            query.push_bind(self.account.as_str());
            query.push(" AND runtime_name ").push(than);
        };
        query.push("WITH RECURSIVE runtimes (at_runtime) AS (");
        next(query, ">= ");
        query.push_bind(from);
        query.push(" ORDER BY runtime_name LIMIT 1) UNION ALL ");
        next(query, "> at_runtime ORDER BY runtime_name LIMIT 1) ");
        query.push("FROM runtimes WHERE at_runtime IS NOT NULL) ");
    }

    /// One LATERAL query for all lookups, for orders that PostgreSQL does not merge: planning each UNION part takes longer than its
    /// execution.
    async fn lateral(
        &self,
        database: &Database,
        after: Option<&Place>,
        predicates: &[IndexPredicate<'_>],
    ) -> Result<Page<Record>, StoreError> {
        let find = |query: &mut Query| {
            let mut separator = " FROM (VALUES ";
            for predicate in predicates {
                query.push(separator);
                query.push_list(predicate.equal.iter().map(|(_, value)| *value));
                separator = ", ";
            }
            query.push(") AS wanted (");
            let columns = predicates[0].equal.iter().zip(VALUE_COLUMNS);
            let mut separator = "";
            for (_, wanted) in columns.clone() {
                query.push(separator).push(wanted);
                separator = ", ";
            }
            query.push(") CROSS JOIN LATERAL (");
            query.push(self.sort_columns()).push(KEY);
            query.push(" FROM application WHERE deleted = 0 AND account = ");
            query.push_bind(self.account.as_str());
            for ((column, _), wanted) in columns {
                query.push(" AND ").push(column).push(" = ").push(wanted);
            }
            push_rest(query, &predicates[0], self.visible);
            self.push_filter(query, &predicates[0]);
            let mut fixed = self.fixed_values();
            fixed.extend(common_values(predicates));
            self.scan_order()
                .push_side(query, Side::After, after, &fixed);
            self.scan_order()
                .push_order(query, rows_up_to(self.limit + 1));
            query.push(") AS near");
            self.scan_order()
        };
        self.fetch_by_id(database, find).await
    }

    /// UNION of the next rows of each lookup, sorted, and then only the rows of the page.
    async fn union_nearest(
        &self,
        database: &Database,
        after: Option<&Place>,
        predicates: &[IndexPredicate<'_>],
    ) -> Result<Page<Record>, StoreError> {
        let columns = self.sort_columns();
        let find = |query: &mut Query| {
            // The first part returns no row; it defines the columns and their types.
            query.push(" FROM (").push(columns).push(KEY);
            query.push(" FROM application WHERE 1 = 0");
            for predicate in predicates {
                query.push(" UNION SELECT * FROM (");
                query.push(columns).push(KEY);
                let order = self.push_lookup(query, predicate, after);
                order.push_order(query, rows_up_to(self.limit + 1));
                query.push(") AS near");
            }
            query.push(") AS nearest");
            self.scan_order()
        };
        self.fetch_by_id(database, find).await
    }

    /// Columns for sorting, besides the key.
    pub(super) fn sort_columns(&self) -> &'static str {
        match self.filter.sort {
            // Only the index of this order has the column.
            Sort::Changed => "SELECT id, project, change, ",
            Sort::Runtime
            | Sort::Name
            | Sort::Namespace
            | Sort::Project
            | Sort::Sync
            | Sort::Health
            | Sort::Created
            | Sort::Cluster
            | Sort::LastOperation => "SELECT id, project, ",
        }
    }

    fn push_lookup(
        &self,
        query: &mut Query,
        predicate: &IndexPredicate<'_>,
        after: Option<&Place>,
    ) -> ScanOrder {
        let order = self.push_from(query, predicate);
        push_predicate(query, predicate, self.visible);
        self.push_filter(query, predicate);
        let fixed = [self.fixed_values(), predicate.equal.clone()].concat();
        order.push_side(query, Side::After, after, &fixed);
        order
    }
}
