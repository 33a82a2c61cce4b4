//! Lists and counts of applications: from the rows in memory, or from the store where it can answer and they cannot.

use std::collections::HashMap;

use causeway_proto::ids::AccountId;

use super::{Inventory, ListError};
use crate::{
    application::{
        FacetCounts, FacetQuery, Field, Filter, NextPage, Page, PageToken, Place, Record, View,
    },
    rows::{CurrentRows, Loading, Start, Window},
    store::{ChangeBounds, StoreError},
    watch::Cursor,
};

/// How often a page is read again whose applications changed while it was read.
const ATTEMPTS: usize = 3;
/// Applications per query of their content.
const CONTENT_CHUNK: usize = 100;
/// The same in the full view.
const FULL_CHUNK: usize = 10;

/// What a list asks for.
#[derive(Debug, Clone, Copy)]
pub struct List<'a> {
    /// Which applications, in which order.
    pub filter: &'a Filter,
    /// How much of each.
    pub view: View,
    /// Where the page begins.
    pub start: PageStart<'a>,
    /// How many it has at most.
    pub limit: usize,
}

/// Where a page begins.
#[derive(Debug, Clone, Copy)]
pub enum PageStart<'a> {
    /// After so many applications.
    Offset(usize),
    /// Where the previous page ended.
    Token(&'a PageToken),
}

/// One page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The applications.
    pub page: Page<Record>,
    /// Where the next page begins.
    pub next: Option<PageToken>,
    /// How many match.
    pub total: u64,
    /// Where a watch goes on from it.
    pub cursor: Cursor,
}

/// A page of the rows of one change.
struct PageOfRows {
    page: Page<Record>,
    /// Applications that changed while it was read.
    missing: usize,
    total: u64,
    change: u64,
}

impl List<'_> {
    fn token(&self) -> Option<&PageToken> {
        match self.start {
            PageStart::Offset(_) => None,
            PageStart::Token(token) => Some(token),
        }
    }

    /// True if a store can answer it.
    fn is_of_store(&self) -> bool {
        let filter = self.filter;
        let begins = !matches!(self.start, PageStart::Offset(1..));
        begins && !filter.descending && filter.sort.is_indexed() && !filter.has_details()
    }
}

impl Inventory {
    /// A page of applications, and where the next one begins.
    pub async fn list(&self, account: &AccountId, list: List<'_>) -> Result<Listed, ListError> {
        let stamp = list.filter.visible.stamp(account);
        if list.token().is_some_and(|token| token.stamp != stamp) {
            return Err(ListError::OtherScope);
        }
        if list
            .token()
            .is_some_and(|token| token.sort != list.filter.sort)
        {
            return Err(ListError::OtherSort);
        }
        let after = self.place_after(account, list).await?;
        for attempt in 1..=ATTEMPTS {
            let Some(rows) = self.current_rows(account, list.is_of_store()).await? else {
                break;
            };
            let read = self
                .page_of_rows(account, list, after.as_ref(), &rows)
                .await?;
            if read.missing == 0 || attempt == ATTEMPTS {
                return Ok(self.listed(account, list, read.page, (read.total, read.change)));
            }
        }
        if !list.is_of_store() {
            return Err(ListError::TooMany);
        }
        self.page_of_store(account, list, after.as_ref()).await
    }

    async fn current_rows(
        &self,
        account: &AccountId,
        is_of_store: bool,
    ) -> Result<Option<CurrentRows>, StoreError> {
        let loading = if is_of_store {
            Loading::Skip
        } else {
            Loading::Wait
        };
        let reads = self.store().reads();
        self.rows().current(reads, account, loading).await
    }

    /// The place after which a page begins. Where what was looked at has changed since, it is looked at again.
    async fn place_after(
        &self,
        account: &AccountId,
        list: List<'_>,
    ) -> Result<Option<Place>, StoreError> {
        let Some(token) = list.token() else {
            return Ok(None);
        };
        let sort = list.filter.sort;
        let looked = match token.looked {
            Some(change) => {
                let reads = self.store().reads();
                reads.place_of(account, sort, change).await?
            }
            None => None,
        };
        let places = looked.into_iter().chain(token.place.clone());
        Ok(places.max_by(|one, other| sort.compare(list.filter.descending, one, other)))
    }

    async fn page_of_rows(
        &self,
        account: &AccountId,
        list: List<'_>,
        after: Option<&Place>,
        rows: &CurrentRows,
    ) -> Result<PageOfRows, StoreError> {
        let start = match list.start {
            PageStart::Offset(offset) => Start::Offset(offset),
            PageStart::Token(_) => Start::After(after),
        };
        let (window, change) = rows.window(list.filter, start, list.limit);
        let (page, missing) = self.content(account, list, &window).await?;
        Ok(PageOfRows {
            page,
            missing,
            total: window.total as u64,
            change,
        })
    }

    /// Reads the content of a window until a response is full; returns how many of its applications have changed since.
    async fn content(
        &self,
        account: &AccountId,
        list: List<'_>,
        window: &Window,
    ) -> Result<(Page<Record>, usize), StoreError> {
        let (mut bytes, mut missing) = (0, 0);
        let mut page = Page {
            items: Vec::new(),
            rest: if window.more {
                NextPage::More
            } else {
                NextPage::End
            },
        };
        let size = match list.view {
            View::Full => FULL_CHUNK,
            View::Row | View::Basic => CONTENT_CHUNK,
        };
        for chunk in window.changes.chunks(size) {
            let reads = self.store().reads();
            let records = reads.applications_of_changes(account, list.view, chunk);
            let records = records.await?.into_iter();
            let mut records: HashMap<u64, Record> =
                records.map(|record| (record.change, record)).collect();
            for change in chunk {
                let Some(record) = records.remove(change) else {
                    missing += 1;
                    continue;
                };
                if !page.push(record, list.limit, &mut bytes) {
                    return Ok((page, missing));
                }
            }
        }
        Ok((page, missing))
    }

    async fn page_of_store(
        &self,
        account: &AccountId,
        list: List<'_>,
        after: Option<&Place>,
    ) -> Result<Listed, ListError> {
        let reads = self.store().reads();
        // Read first, so that a watch misses nothing that comes after it.
        let ChangeBounds { latest, .. } = reads.change_bounds(account).await?;
        let page = reads.list_applications(account, list.filter, list.view, after, list.limit);
        let page = page.await?;
        let counted = reads.count_facets(account, list.filter, &[], 1).await?;
        Ok(self.listed(account, list, page, (counted.total, latest)))
    }

    fn listed(
        &self,
        account: &AccountId,
        list: List<'_>,
        page: Page<Record>,
        (total, change): (u64, u64),
    ) -> Listed {
        let stamp = list.filter.visible.stamp(account);
        Listed {
            next: page.next(list.token(), list.filter.sort, stamp),
            page,
            total,
            cursor: Cursor {
                incarnation: self.store().reads().incarnation(),
                change,
                base: change,
                stamp,
            },
        }
    }

    /// How many applications there are by each field and label.
    pub async fn counts(
        &self,
        account: &AccountId,
        filter: &Filter,
        query: &FacetQuery,
    ) -> Result<FacetCounts, ListError> {
        let columns = |field: &Field| Field::STORED.contains(field);
        let is_of_store = !filter.has_details()
            && !query.own_condition_left_out
            && query.labels.is_empty()
            && query.fields.iter().all(columns);
        if let Some(rows) = self.current_rows(account, is_of_store).await? {
            return Ok(rows.counts(filter, query).0);
        }
        if !is_of_store {
            return Err(ListError::TooMany);
        }
        let reads = self.store().reads();
        let facets = reads.count_facets(account, filter, &query.fields, query.most);
        Ok(FacetCounts {
            facets: facets.await?,
            labels: Vec::new(),
            label_keys: Vec::new(),
        })
    }
}
