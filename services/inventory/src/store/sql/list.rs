//! Keyset pages of the live applications that a caller may see.
//!
//! Literal runtimes, namespaces, projects, names and labels are looked up in an index that has the list order. Globs are expanded to
//! literals where few values match. All other selectors filter windows of rows, so that the work for a page is bounded even if almost
//! nothing matches.

mod expand_globs;
mod keys;
mod merge;
mod plan;
mod state_order;

use std::borrow::Cow;

use causeway_database::{Database, Query};
use causeway_proto::ids::AccountId;
use futures::TryStreamExt as _;

use super::{
    StoreError,
    read::{RecordDetail, push_place, push_state, record, rows_up_to},
    scan_order::{ScanOrder, Side},
};
use crate::{
    application::{Filter, NextPage, Page, Place, Record, ScanPosition, Sort, View, Visible},
    store::predicates::{Columns, IndexPredicate, push_predicate, push_rules, push_search},
};
pub(super) use expand_globs::expand_globs;
use expand_globs::has_many_globs;
pub(super) use keys::{keys, place_of};
use keys::{place, select_places};
pub(super) use plan::ListPlan;
use state_order::{State, existing_states, states};

const KEY: &str = "runtime_name, namespace, name, cluster, runtime";

/// Rows in the first window; each window is twice as large as the previous one.
const FIRST_WINDOW: usize = if cfg!(test) { 2 } else { 500 };

/// Windows per page.
const MAX_WINDOWS: usize = if cfg!(test) { 2 } else { 5 };

/// Rows that PostgreSQL scans before the first window, since it stops as soon as the page is full.
const FIRST_SCAN: usize = if cfg!(test) { 2 } else { 2_000 };

/// Lookup of all rows.
const NO_PREDICATE: IndexPredicate<'static> = IndexPredicate {
    equal: Vec::new(),
    label: None,
    rule: None,
};

/// Request for one page.
pub(super) struct ListQuery<'a> {
    account: &'a AccountId,
    filter: &'a Filter,
    /// Scope with expanded globs.
    visible: &'a Visible,
    view: View,
    limit: usize,
    /// State that is scanned now, in an order by states.
    state: Option<State>,
}

/// Page merged from several queries.
struct MergedPage {
    page: Page<Record>,
    bytes: usize,
}

pub(super) async fn list(
    database: &Database,
    account: &AccountId,
    filter: &Filter,
    view: View,
    after: Option<&Place>,
    limit: usize,
) -> Result<Page<Record>, StoreError> {
    let visible = if database.is_shared() && has_many_globs(&filter.visible) {
        Cow::Borrowed(&filter.visible)
    } else {
        expand_globs(database, account, &filter.visible).await?
    };
    let mut request = ListQuery::new(account, (filter, &visible), view, limit);
    let plan = request.choose_plan(database).await?;
    let mut merged = MergedPage::new();
    let states = states(filter);
    if states.is_empty() {
        request.run(database, &plan, after, &mut merged).await?;
        return Ok(merged.page);
    }
    for (rank, state) in existing_states(database, account, states).await? {
        let after = match after {
            Some(after) if after.rank > rank => continue,
            after => after.filter(|after| after.rank == rank),
        };
        request.state = Some(state);
        request.run(database, &plan, after, &mut merged).await?;
        if merged.page.rest != NextPage::End {
            break;
        }
        if merged.page.items.len() >= limit {
            merged.page.rest = NextPage::More;
            break;
        }
    }
    Ok(merged.page)
}

impl MergedPage {
    fn new() -> Self {
        let page = Page {
            items: Vec::new(),
            rest: NextPage::End,
        };
        Self { page, bytes: 0 }
    }

    /// Appends a page; false if it did not fit.
    fn extend(&mut self, page: Page<Record>, limit: usize) -> bool {
        for record in page.items {
            if !self.page.push(record, limit, &mut self.bytes) {
                return false;
            }
        }
        self.page.rest = page.rest;
        true
    }
}

impl<'a> ListQuery<'a> {
    pub(super) fn new(
        account: &'a AccountId,
        (filter, visible): (&'a Filter, &'a Visible),
        view: View,
        limit: usize,
    ) -> Self {
        Self {
            account,
            filter,
            visible,
            view,
            limit,
            state: None,
        }
    }

    async fn run(
        &self,
        database: &Database,
        plan: &ListPlan<'_>,
        after: Option<&Place>,
        merged: &mut MergedPage,
    ) -> Result<(), StoreError> {
        match plan {
            ListPlan::InOrder => {
                let page = self.page_between(database, after, None).await?;
                merged.extend(page, self.limit);
                Ok(())
            }
            ListPlan::Lookups(predicates) => {
                self.merge_lookups(database, after, predicates, merged)
                    .await
            }
            ListPlan::Windows => self.scan_windows(database, after, merged).await,
        }
    }

    fn record_detail(&self) -> RecordDetail {
        if self.filter.visible.is_everything() && self.filter.exclude.labels.is_everything() {
            RecordDetail::Nothing
        } else {
            RecordDetail::Labels
        }
    }

    /// Key columns with a value in the filter.
    fn location_values(&self) -> Vec<(&'static str, &str)> {
        let filter = self.filter;
        let columns = [
            ("runtime_name", &filter.runtime),
            ("cluster", &filter.cluster),
            ("namespace", &filter.namespace),
            ("name", &filter.name),
        ];
        let given = columns.into_iter().filter(|(_, value)| !value.is_empty());
        given
            .map(|(column, value)| (column, value.as_str()))
            .collect()
    }

    /// Columns with one value in all matching rows.
    fn fixed_values(&self) -> Vec<(&'static str, &str)> {
        let mut fixed = self.location_values();
        if !self.filter.project.is_empty() {
            fixed.push(("project", &self.filter.project));
        }
        fixed
    }

    fn scan_order(&self) -> ScanOrder {
        ScanOrder::By(self.filter.sort)
    }

    /// Adds FROM and the account; returns the order of the rows.
    fn push_from(&self, query: &mut Query, predicate: &IndexPredicate<'_>) -> ScanOrder {
        let Some((label, value)) = predicate.label else {
            query.push(" FROM application WHERE deleted = 0 AND account = ");
            query.push_bind(self.account.as_str());
            return self.scan_order();
        };
        // SQLite keeps the order of a CROSS JOIN: the label index first.
        query.push(" FROM application_label CROSS JOIN application WHERE application_id = id");
        query
            .push(" AND of_account = ")
            .push_bind(self.account.as_str());
        query.push(" AND label = ").push_bind(label);
        query.push(" AND value = ").push_bind(value);
        query.push(" AND deleted = 0 AND account = ");
        query.push_bind(self.account.as_str());
        match self.filter.sort {
            Sort::Runtime | Sort::Sync | Sort::Health => ScanOrder::ByLabel,
            Sort::Name
            | Sort::Namespace
            | Sort::Project
            | Sort::Changed
            | Sort::Created
            | Sort::Cluster
            | Sort::LastOperation => self.scan_order(),
        }
    }

    /// Adds the filter.
    fn push_filter(&self, query: &mut Query, predicate: &IndexPredicate<'_>) {
        push_place(query, self.filter);
        self.push_group(query);
        push_state(query, self.filter);
        push_search(query, self.filter, predicate.label);
    }

    fn push_group(&self, query: &mut Query) {
        if let Some(state) = self.state {
            query.push(" AND ").push(state.column()).push(" = ");
            query.push_bind(state.code());
        }
    }

    /// Adds FROM, scope and filter of the whole list, for counts.
    pub(super) fn push_query(&self, query: &mut Query, plan: &ListPlan<'_>) {
        let predicate = match plan {
            ListPlan::Lookups(predicates) if predicates.len() == 1 => &predicates[0],
            ListPlan::InOrder | ListPlan::Lookups(_) | ListPlan::Windows => &NO_PREDICATE,
        };
        self.push_from(query, predicate);
        push_predicate(query, predicate, self.visible);
        self.push_filter(query, predicate);
    }

    /// Page of the rows between two cursors.
    async fn page_between(
        &self,
        database: &Database,
        after: Option<&Place>,
        to: Option<&Place>,
    ) -> Result<Page<Record>, StoreError> {
        let find = |query: &mut Query| {
            self.push_query(query, &ListPlan::InOrder);
            let fixed = self.fixed_values();
            self.scan_order()
                .push_side(query, Side::After, after, &fixed);
            self.scan_order().push_side(query, Side::UpTo, to, &fixed);
            self.scan_order()
        };
        let filters_rows = self.filter.is_searching() || !self.visible.is_everything();
        self.fetch(database, filters_rows, find).await
    }

    /// Scans window by window, until the page is full or the limit of work is reached.
    async fn scan_windows(
        &self,
        database: &Database,
        after: Option<&Place>,
        merged: &mut MergedPage,
    ) -> Result<(), StoreError> {
        if database.is_shared() && !self.filter.is_searching() {
            let page = self.scan_first_rows(database, after).await?;
            if page.rest != NextPage::End {
                merged.extend(page, self.limit);
                return Ok(());
            }
        }
        let mut from = after.cloned();
        // Each label condition reads the label index once per row, which doubles the work of a window.
        let fewer = usize::from(!self.filter.labels.is_everything());
        for window in 0..MAX_WINDOWS - fewer {
            let end = self
                .window_end(database, from.as_ref(), FIRST_WINDOW << window)
                .await?;
            let to = end.as_ref().map(|end| &end.place);
            let page = self.page_between(database, from.as_ref(), to).await?;
            if !merged.extend(page, self.limit) || merged.page.rest != NextPage::End {
                return Ok(());
            }
            let Some(end) = end else {
                return Ok(());
            };
            from = Some(end.place.clone());
            merged.page.rest = NextPage::ScanPosition(end);
            if merged.page.items.len() >= self.limit {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Page from the first rows, if they fill it: PostgreSQL stops as soon as the page is full. Otherwise the position that it reached
    /// is unknown, and the windows begin at the start.
    async fn scan_first_rows(
        &self,
        database: &Database,
        after: Option<&Place>,
    ) -> Result<Page<Record>, StoreError> {
        let find = |query: &mut Query| {
            query.push(" FROM (").push(self.sort_columns()).push(KEY);
            query.push(", sync, health, source FROM application WHERE deleted = 0 AND account = ");
            query.push_bind(self.account.as_str());
            push_place(query, self.filter);
            self.push_group(query);
            let (order, fixed) = (self.scan_order(), self.location_values());
            order.push_side(query, Side::After, after, &fixed);
            order.push_order(query, rows_up_to(FIRST_SCAN));
            query.push(") AS looked WHERE 1 = 1");
            push_rules(query, self.visible, Columns::All);
            self.push_filter(query, &NO_PREDICATE);
            order
        };
        self.fetch_by_id(database, find).await
    }

    /// Last row of a window; none if fewer rows are left.
    async fn window_end(
        &self,
        database: &Database,
        after: Option<&Place>,
        window: usize,
    ) -> Result<Option<Box<ScanPosition>>, StoreError> {
        let mut query = select_places();
        query.push(" WHERE id = (SELECT id FROM application WHERE deleted = 0 AND account = ");
        query.push_bind(self.account.as_str());
        push_place(&mut query, self.filter);
        self.push_group(&mut query);
        self.scan_order()
            .push_side(&mut query, Side::After, after, &self.location_values());
        self.scan_order().push_order(&mut query, 1);
        query.push(" OFFSET ").push_bind(rows_up_to(window));
        query.push(")");
        let row = query.fetch_optional(database).await?;
        row.map(|row| {
            let change = row.try_get::<i64>(8)?.cast_unsigned();
            let place = place(&row, self.filter.sort)?;
            Ok(Box::new(ScanPosition { place, change }))
        })
        .transpose()
    }

    /// True if a record is visible and matches in what the query does not look at.
    fn is_wanted(&self, record: &Record) -> bool {
        let (filter, facts) = (self.filter, record.facts());
        filter.visible.includes(&facts) && filter.admits(&facts) && filter.accepts_details(&facts)
    }

    /// Runs a query and checks each record. The page may be short if the database returned unwanted rows.
    async fn fetch_page(
        &self,
        database: &Database,
        mut query: Query,
        order: ScanOrder,
    ) -> Result<Page<Record>, StoreError> {
        order.push_order(&mut query, rows_up_to(self.limit + 1));
        let mut page = Page {
            items: Vec::new(),
            rest: NextPage::End,
        };
        let (mut bytes, mut last, mut count) = (0, None, 0);
        let mut rows = query.fetch(database);
        while let Some(row) = rows.try_next().await? {
            let record = record(&row, self.view, self.record_detail())?;
            count += 1;
            if !self.is_wanted(&record) {
                last = Some(ScanPosition {
                    place: self.filter.sort.place_of(&record),
                    change: record.change,
                });
                continue;
            }
            if !page.push(record, self.limit, &mut bytes) {
                return Ok(page);
            }
            last = None;
        }
        if count > self.limit {
            page.rest = last.map_or(NextPage::More, |last| {
                NextPage::ScanPosition(Box::new(last))
            });
        }
        Ok(page)
    }
}
