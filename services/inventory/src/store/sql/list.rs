//! Live applications in an order, as far as a caller may see them.
//!
//! Named runtimes, namespaces, projects, names and labels are looked up in an index that has the order, and so are patterns of
//! runtimes, namespaces and projects where few of these are. Whatever else a scope or a filter says is looked for window by window,
//! so that the work for a page is bounded however little of the account is found.

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
    order::{Side, Walk},
    read::{RecordDetail, push_place, push_state, record, rows_up_to},
};
use crate::{
    application::{Filter, Looked, Page, Place, Record, Rest, Sort, View, Visible},
    store::visible::{Anchor, Columns, push_anchor, push_rules, push_search},
};
use expand_globs::are_many;
pub(super) use expand_globs::spelled;
pub(super) use keys::{keys, place_of};
use keys::{looked, place};
pub(super) use plan::Way;
use state_order::{State, present, states};

const KEY: &str = "runtime_name, namespace, name, cluster, runtime";

/// How many rows are looked at first; each window is twice the one before.
const FIRST_WINDOW: usize = if cfg!(test) { 2 } else { 500 };

/// How many windows there are for one page.
const WINDOWS: usize = if cfg!(test) { 2 } else { 5 };

/// A server that stops where the page is full looks at so many first.
const GLANCE: usize = if cfg!(test) { 2 } else { 2_000 };

/// At no value: all rows.
const NOWHERE: Anchor<'static> = Anchor {
    equal: Vec::new(),
    label: None,
    rule: None,
};

/// What a page is asked for.
pub(super) struct Question<'a> {
    account: &'a AccountId,
    filter: &'a Filter,
    /// What is visible, in the words of the database.
    visible: &'a Visible,
    view: View,
    limit: usize,
    /// The one state that is gone through now.
    state: Option<State>,
}

/// A page that is put together of several.
struct Whole {
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
    let visible = match database.is_shared() && are_many(&filter.visible) {
        true => Cow::Borrowed(&filter.visible),
        false => spelled(database, account, &filter.visible).await?,
    };
    let mut question = Question::new(account, (filter, &visible), view, limit);
    let way = question.way(database).await?;
    let mut whole = Whole::new();
    let states = states(filter);
    if states.is_empty() {
        question.go(database, &way, after, &mut whole).await?;
        return Ok(whole.page);
    }
    for (rank, state) in present(database, account, states).await? {
        let after = match after {
            Some(after) if after.rank > rank => continue,
            after => after.filter(|after| after.rank == rank),
        };
        question.state = Some(state);
        question.go(database, &way, after, &mut whole).await?;
        if whole.page.rest != Rest::End {
            break;
        }
        if whole.page.items.len() >= limit {
            whole.page.rest = Rest::More;
            break;
        }
    }
    Ok(whole.page)
}

impl Whole {
    fn new() -> Self {
        let page = Page {
            items: Vec::new(),
            rest: Rest::End,
        };
        Self { page, bytes: 0 }
    }

    /// Takes a page in; whether all of it had room.
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

impl<'a> Question<'a> {
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

    async fn go(
        &self,
        database: &Database,
        way: &Way<'_>,
        after: Option<&Place>,
        whole: &mut Whole,
    ) -> Result<(), StoreError> {
        match way {
            Way::All => {
                let page = self.between(database, after, None).await?;
                whole.extend(page, self.limit);
                Ok(())
            }
            Way::Anchors(anchors) => self.in_turn(database, after, anchors, whole).await,
            Way::Scan => self.scanned(database, after, whole).await,
        }
    }

    fn remembered(&self) -> RecordDetail {
        match self.filter.visible.is_everything() {
            true => RecordDetail::Nothing,
            false => RecordDetail::Labels,
        }
    }

    /// What the filter says of places.
    fn placed(&self) -> Vec<(&'static str, &str)> {
        let filter = self.filter;
        let columns = [
            ("runtime_name", &filter.runtime),
            ("cluster", &filter.cluster),
            ("namespace", &filter.namespace),
            ("name", &filter.name),
        ];
        let told = columns.into_iter().filter(|(_, value)| !value.is_empty());
        told.map(|(column, value)| (column, value.as_str()))
            .collect()
    }

    /// What the filter says of all that is found.
    fn fixed(&self) -> Vec<(&'static str, &str)> {
        let mut fixed = self.placed();
        if !self.filter.project.is_empty() {
            fixed.push(("project", &self.filter.project));
        }
        fixed
    }

    fn walk(&self) -> Walk {
        Walk::By(self.filter.sort)
    }

    /// Adds where rows come from by an anchor, and how they are in order.
    fn push_from(&self, query: &mut Query, anchor: &Anchor<'_>) -> Walk {
        let Some((label, value)) = anchor.label else {
            query.push(" FROM application WHERE deleted = 0 AND account = ");
            query.push_bind(self.account.as_str());
            return self.walk();
        };
        // The order of a CROSS JOIN stands in SQLite: the rows of the label first.
        query.push(" FROM application_label CROSS JOIN application WHERE application_id = id");
        query
            .push(" AND of_account = ")
            .push_bind(self.account.as_str());
        query.push(" AND label = ").push_bind(label);
        query.push(" AND value = ").push_bind(value);
        query.push(" AND deleted = 0 AND account = ");
        query.push_bind(self.account.as_str());
        match self.filter.sort {
            Sort::Runtime | Sort::Sync | Sort::Health => Walk::Labelled,
            Sort::Name | Sort::Namespace | Sort::Project | Sort::Changed => self.walk(),
        }
    }

    /// Adds what is asked for of each row that an anchor finds.
    fn push_asked(&self, query: &mut Query, anchor: &Anchor<'_>) {
        push_place(query, self.filter);
        self.push_group(query);
        push_state(query, self.filter);
        push_search(query, self.filter, anchor.label);
    }

    fn push_group(&self, query: &mut Query) {
        if let Some(state) = self.state {
            query.push(" AND ").push(state.column()).push(" = ");
            query.push_bind(state.code());
        }
    }

    /// Adds from where and which, for all that is asked for.
    pub(super) fn push_all(&self, query: &mut Query, way: &Way<'_>) {
        let anchor = match way {
            Way::Anchors(anchors) if anchors.len() == 1 => &anchors[0],
            Way::All | Way::Anchors(_) | Way::Scan => &NOWHERE,
        };
        self.push_from(query, anchor);
        push_anchor(query, anchor, self.visible);
        self.push_asked(query, anchor);
    }

    /// What is visible after a place, up to another.
    async fn between(
        &self,
        database: &Database,
        after: Option<&Place>,
        to: Option<&Place>,
    ) -> Result<Page<Record>, StoreError> {
        let find = |query: &mut Query| {
            self.push_all(query, &Way::All);
            let fixed = self.fixed();
            self.walk().push_side(query, Side::After, after, &fixed);
            self.walk().push_side(query, Side::UpTo, to, &fixed);
            self.walk()
        };
        let looks = self.filter.is_searching() || !self.visible.is_everything();
        self.found(database, looks, find).await
    }

    /// Window by window, until the page is full or enough was looked at.
    async fn scanned(
        &self,
        database: &Database,
        after: Option<&Place>,
        whole: &mut Whole,
    ) -> Result<(), StoreError> {
        if database.is_shared() && !self.filter.is_searching() {
            let page = self.glanced(database, after).await?;
            if page.rest != Rest::End {
                whole.extend(page, self.limit);
                return Ok(());
            }
        }
        let mut from = after.cloned();
        // To look for the labels of a row costs as much as the row.
        let fewer = usize::from(!self.filter.labels.is_everything());
        for window in 0..WINDOWS - fewer {
            let end = self
                .end(database, from.as_ref(), FIRST_WINDOW << window)
                .await?;
            let to = end.as_ref().map(|end| &end.place);
            let page = self.between(database, from.as_ref(), to).await?;
            if !whole.extend(page, self.limit) || whole.page.rest != Rest::End {
                return Ok(());
            }
            let Some(end) = end else {
                return Ok(());
            };
            from = Some(end.place.clone());
            whole.page.rest = Rest::Looked(end);
            if whole.page.items.len() >= self.limit {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The page, if what comes first holds all of it: a server looks no further than the page is full. Where it is not, nothing tells
    /// how far it looked.
    async fn glanced(
        &self,
        database: &Database,
        after: Option<&Place>,
    ) -> Result<Page<Record>, StoreError> {
        let find = |query: &mut Query| {
            query.push(" FROM (").push(self.near_columns()).push(KEY);
            query.push(", sync, health, source FROM application WHERE deleted = 0 AND account = ");
            query.push_bind(self.account.as_str());
            push_place(query, self.filter);
            self.push_group(query);
            let (walk, fixed) = (self.walk(), self.placed());
            walk.push_side(query, Side::After, after, &fixed);
            walk.push_order(query, rows_up_to(GLANCE));
            query.push(") AS looked WHERE 1 = 1");
            push_rules(query, self.visible, Columns::All);
            self.push_asked(query, &NOWHERE);
            walk
        };
        self.by_id(database, find).await
    }

    /// The row that ends a window; nothing where fewer are left.
    async fn end(
        &self,
        database: &Database,
        after: Option<&Place>,
        window: usize,
    ) -> Result<Option<Box<Looked>>, StoreError> {
        let mut query = looked();
        query.push(" WHERE id = (SELECT id FROM application WHERE deleted = 0 AND account = ");
        query.push_bind(self.account.as_str());
        push_place(&mut query, self.filter);
        self.push_group(&mut query);
        self.walk()
            .push_side(&mut query, Side::After, after, &self.placed());
        self.walk().push_order(&mut query, 1);
        query.push(" OFFSET ").push_bind(rows_up_to(window));
        query.push(")");
        let row = query.fetch_optional(database).await?;
        row.map(|row| {
            let change = row.try_get::<i64>(8)?.cast_unsigned();
            let place = place(&row, self.filter.sort)?;
            Ok(Box::new(Looked { place, change }))
        })
        .transpose()
    }

    /// Those of the rows that are visible. Where the database let rows through that are not, the page may be short.
    async fn page(
        &self,
        database: &Database,
        mut query: Query,
        walk: Walk,
    ) -> Result<Page<Record>, StoreError> {
        walk.push_order(&mut query, rows_up_to(self.limit + 1));
        let mut page = Page {
            items: Vec::new(),
            rest: Rest::End,
        };
        let (mut bytes, mut last, mut count) = (0, None, 0);
        let mut rows = query.fetch(database);
        while let Some(row) = rows.try_next().await? {
            let record = record(&row, self.view, self.remembered())?;
            count += 1;
            if !self.filter.visible.contains(&record.key, &record.summary) {
                last = Some(Looked {
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
            page.rest = last.map_or(Rest::More, |last| Rest::Looked(Box::new(last)));
        }
        Ok(page)
    }
}
