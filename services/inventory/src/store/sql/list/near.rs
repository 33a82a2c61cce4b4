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
    async fn by_id(
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
            let all = only_rule(self.visible).is_some_and(|rule| anchor.is_all_of(rule));
            let looks = self.filter.is_searching() || !all;
            let find = |query: &mut Query| self.push_near(query, anchor, after);
            return self.found(database, looks, find).await;
        }
        match (are_alike(anchors), database.is_shared()) {
            (true, true) => self.lateral(database, after, anchors).await,
            (true, false) if self.is_by_key() => self.merged(database, after, anchors).await,
            (true | false, _) => self.nearest(database, after, anchors).await,
        }
    }

    /// Row by row, the nearest that any anchor finds: SQLite merges parts that are each in order, and reads no more than a page.
    async fn merged(
        &self,
        database: &Database,
        after: Option<&Place>,
        anchors: &[Anchor<'_>],
    ) -> Result<Page<Record>, StoreError> {
        let mut query = query("");
        let mut separator = "";
        for anchor in anchors {
            query.push(separator);
            push_columns(&mut query, self.view, self.remembered());
            self.push_near(&mut query, anchor, after);
            separator = " UNION ALL ";
        }
        self.page(database, query, self.walk()).await
    }

    /// The same as [`Self::nearest`] with one part for all: a server plans each part, which takes longer than to read what it finds.
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
    fn near_columns(&self) -> &'static str {
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
