//! Pages of what several anchors find.

use std::cmp::Ordering;

use causeway_database::{Database, Query, query};

use super::{KEY, Question, Whole};
use crate::{
    application::{Page, Place, Record, Rest, Sort},
    store::{
        StoreError,
        sql::{
            order::{Side, Walk},
            read::{columns, push_columns, rows_up_to},
        },
        visible::{Anchor, only_rule, push_anchor, push_rest},
    },
};

/// What the values are called that the columns of anchors have: at most two, as anchors are made.
const WANTED: [&str; 2] = ["wanted_first", "wanted_second"];

/// How many runtimes are looked into at once.
const MOST_RUNTIMES: i64 = if cfg!(test) { 1 } else { 32 };

/// Whether the parts of a question are put in order each.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    Plain,
    Ordered,
}

/// Whether anchors that are alike name values of this column and of no other.
fn are_all(anchors: &[Anchor<'_>], column: &str) -> bool {
    let of = |anchor: &Anchor<'_>| matches!(anchor.equal[..], [(only, _)] if only == column);
    anchors.iter().all(of)
}

/// Whether anchors differ in the values of the same columns alone, so that no two find the same row.
fn are_alike(anchors: &[Anchor<'_>]) -> bool {
    let Some((first, others)) = anchors.split_first() else {
        return false;
    };
    let columns = |anchor: &Anchor<'_>| -> Vec<_> {
        anchor.equal.iter().map(|(column, _)| *column).collect()
    };
    let apart = |(number, one): (usize, &Anchor<'_>)| !anchors[..number].contains(one);
    let same = |other: &Anchor<'_>| other.rule == first.rule && columns(other) == columns(first);
    first.label.is_none()
        && (1..=WANTED.len()).contains(&first.equal.len())
        && others.iter().all(same)
        && anchors.iter().enumerate().all(apart)
}

/// The values that anchors which are alike have in common.
fn of_all<'a>(anchors: &[Anchor<'a>]) -> impl Iterator<Item = (&'static str, &'a str)> {
    let first = anchors.first().map(|first| first.equal.clone());
    let of_each = |told: &_| anchors.iter().all(|anchor| anchor.equal.contains(told));
    first.into_iter().flatten().filter(of_each)
}

impl Question<'_> {
    /// The nearest of what is found. `looks` says whether more may be looked at for it.
    pub(super) async fn found(
        &self,
        database: &Database,
        looks: bool,
        find: impl FnOnce(&mut Query) -> Walk,
    ) -> Result<Page<Record>, StoreError> {
        // A server reads the row of each entry of an index that it looks at, unless all that it is asked for is in the index.
        if database.is_shared() && looks {
            return self.by_id(database, find).await;
        }
        let mut query = columns(self.view, self.remembered());
        let walk = find(&mut query);
        self.page(database, query, walk).await
    }

    /// The nearest of the ids that are found, and only the rows of these.
    pub(super) async fn by_id(
        &self,
        database: &Database,
        find: impl FnOnce(&mut Query) -> Walk,
    ) -> Result<Page<Record>, StoreError> {
        // The order of a CROSS JOIN stands: ids first, or SQLite reads a whole index for the sake of its order.
        let mut query = columns(self.view, self.remembered());
        query.push(" FROM (SELECT id AS near_id");
        let walk = find(&mut query);
        walk.push_order(&mut query, rows_up_to(self.limit + 1));
        query.push(") AS found CROSS JOIN application WHERE id = near_id AND deleted = 0");
        query
            .push(" AND account = ")
            .push_bind(self.account.as_str());
        self.page(database, query, self.walk()).await
    }

    /// The nearest rows of the anchors. Where these name runtimes, and lists begin with those, the rest of the one that the place is
    /// of comes first, from the place on, and then those behind it, of which nothing comes before the place.
    pub(super) async fn in_turn(
        &self,
        database: &Database,
        after: Option<&Place>,
        anchors: &[Anchor<'_>],
        whole: &mut Whole,
    ) -> Result<(), StoreError> {
        let of: Option<Vec<&str>> = anchors.iter().map(Anchor::runtime).collect();
        let (Some(of), Some(place), true) = (of, after, self.is_by_key()) else {
            let page = self.anchored(database, after, anchors).await?;
            whole.extend(page, self.limit);
            return Ok(());
        };
        let here = place.key.runtime_name.as_str();
        for (rows, after) in [(Ordering::Equal, after), (Ordering::Greater, None)] {
            let some = of.iter().zip(anchors);
            let some = some.filter(|(runtime, _)| (**runtime).cmp(here) == rows);
            let some: Vec<Anchor<'_>> = some.map(|(_, anchor)| anchor.clone()).collect();
            if some.is_empty() {
                continue;
            }
            if whole.page.items.len() >= self.limit {
                whole.page.rest = Rest::More;
                return Ok(());
            }
            let page = self.anchored(database, after, &some).await?;
            if !whole.extend(page, self.limit) || whole.page.rest != Rest::End {
                return Ok(());
            }
        }
        Ok(())
    }

    fn is_by_key(&self) -> bool {
        match self.filter.sort {
            Sort::Runtime | Sort::Sync | Sort::Health => true,
            Sort::Name | Sort::Namespace | Sort::Project | Sort::Changed => false,
        }
    }

    async fn anchored(
        &self,
        database: &Database,
        after: Option<&Place>,
        anchors: &[Anchor<'_>],
    ) -> Result<Page<Record>, StoreError> {
        if let [anchor] = anchors {
            let find = |query: &mut Query| self.push_near(query, anchor, after);
            return self.found(database, self.looks(anchor), find).await;
        }
        if !are_alike(anchors) {
            return self.nearest(database, after, anchors).await;
        }
        match (database.is_shared(), self.is_by_key()) {
            (false, true) => self.merged(database, after, anchors).await,
            (false, false) => self.nearest(database, after, anchors).await,
            (true, true) if are_all(anchors, "project") => {
                self.merged(database, after, anchors).await
            }
            (true, true) if are_all(anchors, "namespace") => {
                let page = self.placewise(database, after, anchors).await?;
                match page.rest {
                    Rest::End => self.lateral(database, after, anchors).await,
                    Rest::More | Rest::Looked(_) => Ok(page),
                }
            }
            (true, _) => self.lateral(database, after, anchors).await,
        }
    }

    /// Whether more than what an anchor finds is asked of a row.
    fn looks(&self, anchor: &Anchor<'_>) -> bool {
        let all = only_rule(self.visible).is_some_and(|rule| anchor.is_all_of(rule));
        self.filter.is_searching() || !all
    }

    /// Row by row, the nearest that any anchor finds: databases merge parts that are each in order, and read no more than a page. A
    /// server does so where each part says its order, and where the order begins with a column that no part fixes.
    async fn merged(
        &self,
        database: &Database,
        after: Option<&Place>,
        anchors: &[Anchor<'_>],
    ) -> Result<Page<Record>, StoreError> {
        let looks = anchors.iter().any(|anchor| self.looks(anchor));
        if database.is_shared() && looks {
            let find = |query: &mut Query| {
                query.push(" FROM (");
                let ids = |query: &mut Query| {
                    query.push(self.near_columns()).push(KEY);
                };
                self.push_each(query, Parts::Ordered, ids, (after, anchors));
                query.push(") AS nearest");
                self.walk()
            };
            return self.by_id(database, find).await;
        }
        let mut query = query("");
        let whole = |query: &mut Query| push_columns(query, self.view, self.remembered());
        let parts = match database.is_shared() {
            true => Parts::Ordered,
            false => Parts::Plain,
        };
        self.push_each(&mut query, parts, whole, (after, anchors));
        self.page(database, query, self.walk()).await
    }

    /// Adds a part for each anchor, of these columns.
    fn push_each(
        &self,
        query: &mut Query,
        parts: Parts,
        columns: impl Fn(&mut Query),
        (after, anchors): (Option<&Place>, &[Anchor<'_>]),
    ) {
        let mut separator = "";
        for anchor in anchors {
            query.push(separator);
            separator = " UNION ALL ";
            if parts == Parts::Ordered {
                query.push("(");
            }
            columns(query);
            let walk = self.push_near(query, anchor, after);
            if parts == Parts::Ordered {
                walk.push_order(query, rows_up_to(self.limit + 1));
                query.push(")");
            }
        }
    }

    /// The nearest rows in namespaces, runtime by runtime and in each namespace by namespace, which is the order of keys: a server that
    /// is told so reads no more than a page. Where the page is not full, what is in later runtimes was not looked for.
    async fn placewise(
        &self,
        database: &Database,
        after: Option<&Place>,
        anchors: &[Anchor<'_>],
    ) -> Result<Page<Record>, StoreError> {
        let mut query = query("");
        self.push_runtimes(&mut query, after);
        push_columns(&mut query, self.view, self.remembered());
        query.push(" FROM (SELECT id AS near_id FROM (SELECT at_runtime, wanted COLLATE \"C\" AS at_namespace FROM (SELECT at_runtime FROM runtimes WHERE at_runtime IS NOT NULL LIMIT ");
        query.push_bind(MOST_RUNTIMES).push(") AS near_by");
        let mut separator = " CROSS JOIN (VALUES ";
        for anchor in anchors {
            query.push(separator);
            query.push_list(anchor.equal.iter().map(|(_, value)| *value));
            separator = ", ";
        }
        query.push(") AS namespaces (wanted) ORDER BY at_runtime, at_namespace) AS places CROSS JOIN LATERAL (");
        query.push(self.near_columns()).push(KEY);
        query.push(" FROM application WHERE deleted = 0 AND account = ");
        query.push_bind(self.account.as_str());
        query.push(" AND runtime_name = at_runtime AND namespace = at_namespace");
        push_rest(&mut query, &anchors[0], self.visible);
        self.push_asked(&mut query, &anchors[0]);
        let walk = self.walk();
        walk.push_side(&mut query, Side::After, after, &self.fixed());
        walk.push_order(&mut query, rows_up_to(self.limit + 1));
        query.push(") AS near ORDER BY at_runtime, at_namespace, name, cluster, runtime LIMIT ");
        query.push_bind(rows_up_to(self.limit + 1));
        query.push(") AS found CROSS JOIN application WHERE id = near_id AND deleted = 0");
        query
            .push(" AND account = ")
            .push_bind(self.account.as_str());
        self.page(database, query, walk).await
    }

    /// Adds the runtimes from that of a place on, one by one as they stand in their index.
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

    /// The same as [`Self::nearest`] with one part for all, for what a server does not merge: it plans each part, which takes longer than
    /// to read what it finds.
    async fn lateral(
        &self,
        database: &Database,
        after: Option<&Place>,
        anchors: &[Anchor<'_>],
    ) -> Result<Page<Record>, StoreError> {
        let find = |query: &mut Query| {
            let mut separator = " FROM (VALUES ";
            for anchor in anchors {
                query.push(separator);
                query.push_list(anchor.equal.iter().map(|(_, value)| *value));
                separator = ", ";
            }
            query.push(") AS wanted (");
            let columns = anchors[0].equal.iter().zip(WANTED);
            let mut separator = "";
            for (_, wanted) in columns.clone() {
                query.push(separator).push(wanted);
                separator = ", ";
            }
            query.push(") CROSS JOIN LATERAL (");
            query.push(self.near_columns()).push(KEY);
            query.push(" FROM application WHERE deleted = 0 AND account = ");
            query.push_bind(self.account.as_str());
            for ((column, _), wanted) in columns {
                query.push(" AND ").push(column).push(" = ").push(wanted);
            }
            push_rest(query, &anchors[0], self.visible);
            self.push_asked(query, &anchors[0]);
            let mut fixed = self.fixed();
            fixed.extend(of_all(anchors));
            self.walk().push_side(query, Side::After, after, &fixed);
            self.walk().push_order(query, rows_up_to(self.limit + 1));
            query.push(") AS near");
            self.walk()
        };
        self.by_id(database, find).await
    }

    /// The nearest rows of each anchor, of those the nearest, and only these whole.
    async fn nearest(
        &self,
        database: &Database,
        after: Option<&Place>,
        anchors: &[Anchor<'_>],
    ) -> Result<Page<Record>, StoreError> {
        let columns = self.near_columns();
        let find = |query: &mut Query| {
            // The first part is of no row and names the columns with their types.
            query.push(" FROM (").push(columns).push(KEY);
            query.push(" FROM application WHERE 1 = 0");
            for anchor in anchors {
                query.push(" UNION SELECT * FROM (");
                query.push(columns).push(KEY);
                let walk = self.push_near(query, anchor, after);
                walk.push_order(query, rows_up_to(self.limit + 1));
                query.push(") AS near");
            }
            query.push(") AS nearest");
            self.walk()
        };
        self.by_id(database, find).await
    }

    /// What rows are put in order by, beside their key.
    pub(super) fn near_columns(&self) -> &'static str {
        match self.filter.sort {
            // In the index of this order alone.
            Sort::Changed => "SELECT id, project, change, ",
            Sort::Runtime
            | Sort::Name
            | Sort::Namespace
            | Sort::Project
            | Sort::Sync
            | Sort::Health => "SELECT id, project, ",
        }
    }

    fn push_near(&self, query: &mut Query, anchor: &Anchor<'_>, after: Option<&Place>) -> Walk {
        let walk = self.push_from(query, anchor);
        push_anchor(query, anchor, self.visible);
        self.push_asked(query, anchor);
        let fixed = [self.fixed(), anchor.equal.clone()].concat();
        walk.push_side(query, Side::After, after, &fixed);
        walk
    }
}
