//! Rows of whole accounts in memory, from which lists are sorted, filtered, counted and paged by offset.
//!
//! The rows of an account are those of one change of it. A request first applies what was committed since, so that it sees all that
//! was acknowledged before it. Accounts share a bound; the ones that were not asked for longest make room.

mod counts;
mod matched;
mod order;
mod row;
mod symbols;
mod table;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use causeway_proto::ids::AccountId;
use tokio::{sync::Mutex as AsyncMutex, time::Instant};

use crate::{
    application::{FacetCounts, FacetQuery, Filter, NextPage, Record, View, Visible},
    store::{ChangeBounds, ChangeRange, Reads, StoreError},
};
use table::Table;
pub(crate) use table::{Start, Window};

/// Rows of all accounts together.
pub(crate) const MAX_ROWS: usize = 500_000;
/// Records per query.
const PAGE: usize = 1_000;
/// How long an account with too many applications is not tried again.
const REFUSED_FOR: Duration = Duration::from_secs(300);
/// Changes of one page that make it cheaper to sort again than to move rows one by one.
const BULK: usize = 500;

/// Whether a request waits while another one reads an account for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loading {
    /// It waits, as nothing else can answer it.
    Wait,
    /// It does not, as the store can answer it.
    Skip,
}

/// Rows of the accounts that are asked for.
#[derive(Debug)]
pub(crate) struct Rows {
    max_rows: usize,
    accounts: Mutex<HashMap<AccountId, Arc<AccountRows>>>,
    uses: AtomicU64,
}

/// Rows of one account.
#[derive(Debug, Default)]
pub(crate) struct AccountRows {
    /// Held while changes are read, so that they are applied in their order.
    advancing: AsyncMutex<()>,
    state: Mutex<State>,
    count: AtomicUsize,
    used: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    table: Table,
    /// All changes up to this one are applied.
    change: u64,
    /// Tombstones up to this change were gone when reading began.
    forgotten: u64,
    loaded: bool,
    refused: Option<Instant>,
}

/// Rows as of a request.
#[derive(Debug)]
pub(crate) struct CurrentRows(Arc<AccountRows>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Rows {
    pub(crate) fn new(max_rows: usize) -> Self {
        Self {
            max_rows,
            accounts: Mutex::default(),
            uses: AtomicU64::default(),
        }
    }

    /// The rows of an account with all that is committed; none if there are too many, or if they are being read and the request
    /// does not wait.
    pub(crate) async fn current(
        &self,
        reads: &dyn Reads,
        account: &AccountId,
        loading: Loading,
    ) -> Result<Option<CurrentRows>, StoreError> {
        let rows = self.account(account);
        let bounds = reads.change_bounds(account).await?;
        if rows.is_refused() {
            return Ok(None);
        }
        if !rows.has(bounds) {
            let advancing = match loading {
                Loading::Skip if !rows.is_loaded() => rows.advancing.try_lock().ok(),
                Loading::Skip | Loading::Wait => Some(rows.advancing.lock().await),
            };
            let Some(_advancing) = advancing else {
                return Ok(None);
            };
            if !self.advance(reads, account, &rows).await? {
                return Ok(None);
            }
        }
        Ok(Some(CurrentRows(rows)))
    }

    fn account(&self, account: &AccountId) -> Arc<AccountRows> {
        let mut accounts = lock(&self.accounts);
        let rows = accounts.entry(account.clone()).or_default().clone();
        let used = self.uses.fetch_add(1, Ordering::Relaxed);
        rows.used.store(used, Ordering::Relaxed);
        rows
    }

    /// Applies what was committed; false if there are too many rows.
    async fn advance(
        &self,
        reads: &dyn Reads,
        account: &AccountId,
        rows: &AccountRows,
    ) -> Result<bool, StoreError> {
        let all = Filter::within(Visible::everything());
        loop {
            let bounds = reads.change_bounds(account).await?;
            let after = lock(&rows.state).begin(bounds);
            if after >= bounds.latest {
                lock(&rows.state).end_loading();
                return Ok(true);
            }
            let range = ChangeRange {
                after,
                to: bounds.latest,
            };
            let page = reads.changed_applications(account, &all, View::Basic, range, PAGE);
            let page = page.await?;
            let end = match (page.rest, page.items.last()) {
                (NextPage::End, _) | (_, None) => bounds.latest,
                (_, Some(last)) => last.change,
            };
            let count = lock(&rows.state).apply(&page.items, end);
            rows.count.store(count, Ordering::Relaxed);
            if !self.make_room(account) {
                lock(&rows.state).refuse();
                rows.count.store(0, Ordering::Relaxed);
                return Ok(false);
            }
        }
    }

    /// Drops the rows of accounts that were not asked for longest; false if one account has too many.
    fn make_room(&self, account: &AccountId) -> bool {
        let mut accounts = lock(&self.accounts);
        let count = |rows: &Arc<AccountRows>| rows.count.load(Ordering::Relaxed);
        while accounts.values().map(count).sum::<usize>() > self.max_rows {
            let others = accounts.iter().filter(|(other, _)| *other != account);
            let oldest = others.min_by_key(|(_, rows)| rows.used.load(Ordering::Relaxed));
            let Some(oldest) = oldest.map(|(oldest, _)| oldest.clone()) else {
                return false;
            };
            accounts.remove(&oldest);
        }
        true
    }
}

impl AccountRows {
    fn is_loaded(&self) -> bool {
        lock(&self.state).loaded
    }

    fn is_refused(&self) -> bool {
        let refused = lock(&self.state).refused;
        refused.is_some_and(|since| since.elapsed() < REFUSED_FOR)
    }

    fn has(&self, bounds: ChangeBounds) -> bool {
        let state = lock(&self.state);
        state.loaded && state.change >= bounds.latest && !state.is_outdated(bounds)
    }
}

impl State {
    /// True if tombstones were removed that are not applied.
    fn is_outdated(&self, bounds: ChangeBounds) -> bool {
        bounds.forgotten > self.change.max(self.forgotten)
    }

    /// The change after which to read. Begins again where the changes since then are not all known any more.
    fn begin(&mut self, bounds: ChangeBounds) -> u64 {
        let begins = self.change == 0 || self.is_outdated(bounds) || self.table.is_wasteful();
        if begins {
            *self = Self {
                forgotten: bounds.forgotten,
                ..Self::default()
            };
        }
        self.change
    }

    fn end_loading(&mut self) {
        self.loaded = true;
        self.table.end_loading();
    }

    /// Applies changes in their order; returns the number of rows.
    fn apply(&mut self, records: &[Record], end: u64) -> usize {
        if records.len() > BULK && records.len() * 4 > self.table.len() {
            self.table.forget_lists();
        }
        for record in records {
            self.table.apply(record);
        }
        self.change = end;
        self.table.len()
    }

    fn refuse(&mut self) {
        *self = Self {
            refused: Some(Instant::now()),
            ..Self::default()
        };
    }
}

impl CurrentRows {
    /// Part of a list, and the change that it is of.
    pub(crate) fn window(&self, filter: &Filter, start: Start<'_>, limit: usize) -> (Window, u64) {
        let mut state = lock(&self.0.state);
        (state.table.window(filter, start, limit), state.change)
    }

    /// Counts, and the change that they are of.
    pub(crate) fn counts(&self, filter: &Filter, query: &FacetQuery) -> (FacetCounts, u64) {
        let mut state = lock(&self.0.state);
        (state.table.counts(filter, query), state.change)
    }
}

#[cfg(test)]
mod tests;
