//! A caller's view that keeps up with changes. Owns the promise of no gaps: the state first, then every later state by its change
//! number. Buffers nothing: a caller that reads slowly finds only the newest state of each application, and one that stands still
//! is cut.
//!
//! Objects that leave the caller's scope are sent as deleted, those that enter it as updated. Objects that the caller never saw
//! are not sent.

mod buffered;
pub mod resource;

use std::{str::FromStr, time::Duration};

pub use buffered::{PATIENCE, handed};
use causeway_proto::ids::AccountId;
use futures::Stream;
use tokio::time::sleep;

use crate::{
    application::{Filter, Key, NextPage, Page, PastVisibility, Place, Record, View, Visible},
    inventory::Inventory,
    order::ObjectLife,
    report::silence::ScopeNames,
    store::{ChangeRange, StoreError},
};

const PAGE: usize = 100;
const BOOKMARK_EVERY: Duration = Duration::from_secs(15);

/// Where to go on: a change number of one store, for one scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The store's random number.
    pub incarnation: u64,
    /// The last change that was seen.
    pub change: u64,
    /// Nothing that the watcher holds is from before this change: it had seen all that there was when this was the last one.
    pub base: u64,
    /// Which account and scope it was made for: another scope begins again.
    pub stamp: u64,
}

/// A text that is no cursor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("is not one that a watch has sent: leave it empty to begin with all")]
pub struct CursorError;

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let parts: Vec<&str> = text.split('-').collect();
        let [incarnation, change, base, stamp] = parts[..] else {
            return Err(CursorError);
        };
        let hex = |text| u64::from_str_radix(text, 16).map_err(|_| CursorError);
        let number = |text: &str| text.parse().map_err(|_| CursorError);
        Ok(Self {
            incarnation: hex(incarnation)?,
            change: number(change)?,
            base: number(base)?,
            stamp: hex(stamp)?,
        })
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            incarnation,
            change,
            base,
            stamp,
        } = self;
        write!(formatter, "{incarnation:016x}-{change}-{base}-{stamp:016x}")
    }
}

/// What to watch.
#[derive(Debug, Clone)]
pub struct Watch {
    /// Whose applications.
    pub account: AccountId,
    /// Which.
    pub filter: Filter,
    /// How much of each.
    pub view: View,
    /// Where to go on; nothing to begin with all.
    pub cursor: Option<Cursor>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What it says.
    pub event: Event,
    /// Where to go on after it; nothing while the first state is being sent.
    pub cursor: Option<Cursor>,
}

/// What a step says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The application is now so.
    Updated(Box<Record>),
    /// It is gone, or does not match any more.
    Gone(Key),
    /// All that was there has been sent.
    CaughtUp,
    /// Nothing but a cursor.
    Bookmark,
}

/// Why a watch ended.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// What happened since is not kept any more.
    #[error("the cursor is older than what is kept: begin again without one")]
    CursorExpired,
    /// What the caller may see is not what it was.
    #[error("what you may see has changed since the cursor was made: begin again without one")]
    ScopeChanged,
    /// The inventory stops.
    #[error("the inventory is stopping: watch again with the last cursor")]
    Draining,
    /// The caller does not take what there is to say.
    #[error("a step of the watch was not taken for {} s: watch again with the last cursor", .0.as_secs())]
    Slow(Duration),
    /// Only the rows in memory could count it, and there are too many.
    #[error(
        "the account has too many applications for the filter or the facets of a view: ask for names and states only"
    )]
    TooMany,
    /// A fault of ours.
    #[error("the watch broke off: watch again with the last cursor")]
    Broken,
    /// The store does not work.
    #[error("the inventory cannot be read now: try again")]
    Store(#[from] StoreError),
}

/// Watches until the inventory stops or the caller goes away.
pub fn watch(
    inventory: Inventory,
    watch: Watch,
) -> impl Stream<Item = Result<Step, WatchError>> + Send + 'static {
    async_stream::try_stream! {
        let store = inventory.store().clone();
        let account = &watch.account;
        let mut commits = store.reads().commits().subscribe(account);
        // Read first: a change of it while the state is sent is sent after it.
        let mut silences = inventory.members().silence_changes();
        let mut heard = match watch.cursor {
            None => inventory.members().reporting(account),
            // A runtime may have fallen silent since the cursor was made.
            Some(_) => inventory.members().scopes(account),
        };
        let mut at = begin(&inventory, account, &watch.filter.visible, watch.cursor).await?;
        if watch.cursor.is_none() {
            let mut after: Option<Place> = None;
            loop {
                let page = store.reads().list_applications(account, &watch.filter, watch.view, after.as_ref(), PAGE).await?;
                after = next_place(&page, &watch.filter);
                for record in page.items {
                    yield Step { event: Event::Updated(Box::new(record)), cursor: None };
                }
                if page.rest == NextPage::End {
                    break;
                }
            }
        }
        let mut caught_up = false;
        loop {
            commits.borrow_and_update();
            let extent = store.reads().change_bounds(account).await?;
            check(at.change, extent.forgotten)?;
            while at.change < extent.latest {
                let span = ChangeRange { after: at.change, to: extent.latest };
                let page = store.reads().changed_applications(account, &watch.filter, watch.view, span, PAGE).await?;
                for record in page.items {
                    at.change = record.change;
                    if let Some(event) = event(&watch.filter, record, at.base)? {
                        yield Step { event, cursor: Some(at) };
                    }
                }
                if page.rest == NextPage::End {
                    at.change = extent.latest;
                    at.base = extent.latest;
                }
            }
            if !caught_up {
                caught_up = true;
                yield Step { event: Event::CaughtUp, cursor: Some(at) };
            }
            let wake = rest_or_silence(&inventory, &mut commits, &mut silences).await?;
            if wake == Wake::Commit {
                continue;
            }
            if wake == Wake::Time {
                yield Step { event: Event::Bookmark, cursor: Some(at) };
            }
            let now_heard = inventory.members().reporting(account);
            for filter in changed_scopes(&heard, &now_heard, &watch.filter) {
                let mut after: Option<Place> = None;
                loop {
                    let page = store.reads().list_applications(account, &filter, watch.view, after.as_ref(), PAGE).await?;
                    after = next_place(&page, &filter);
                    for record in page.items.into_iter().filter(|it| it.change <= at.change) {
                        yield Step { event: Event::Updated(Box::new(record)), cursor: Some(at) };
                    }
                    if page.rest == NextPage::End {
                        break;
                    }
                }
            }
            heard = now_heard;
        }
    }
}

/// Where the page after this one begins.
fn next_place(page: &Page<Record>, filter: &Filter) -> Option<Place> {
    match page.rest.clone() {
        NextPage::ScanPosition(looked) => Some(looked.place),
        NextPage::More | NextPage::End => {
            let last = page.items.last();
            last.map(|record| filter.sort.place_of(record))
        }
    }
}

/// The filters that select the watched applications of scopes that fell silent or are heard again.
fn changed_scopes(before: &ScopeNames, now: &ScopeNames, filter: &Filter) -> Vec<Filter> {
    let silent = before.iter().filter(|(scope, _)| !now.contains_key(*scope));
    let heard = now.iter().filter(|(scope, _)| !before.contains_key(*scope));
    let narrowed = silent.chain(heard).map(|((_, cluster), runtime)| Filter {
        runtime: runtime.clone(),
        cluster: cluster.clone(),
        ..filter.clone()
    });
    let same = |wanted: &str, there: &str| wanted.is_empty() || wanted == there;
    let selected = narrowed
        .filter(|it| same(&filter.runtime, &it.runtime) && same(&filter.cluster, &it.cluster));
    selected.collect()
}

/// Why a watch goes on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    Commit,
    Time,
    /// A runtime fell silent or is heard again.
    Silence,
}

async fn rest(
    inventory: &Inventory,
    commits: &mut tokio::sync::watch::Receiver<u64>,
) -> Result<Wake, WatchError> {
    tokio::select! {
        () = inventory.stop().cancelled() => Err(WatchError::Draining),
        changed = commits.changed() => {
            // The store tells as long as it lives, and this watch keeps it alive.
            changed.map(|()| Wake::Commit).map_err(|_| WatchError::Draining)
        }
        () = sleep(BOOKMARK_EVERY) => Ok(Wake::Time),
    }
}

/// Like [`rest`], until a runtime falls silent or is heard again.
async fn rest_or_silence(
    inventory: &Inventory,
    commits: &mut tokio::sync::watch::Receiver<u64>,
    silences: &mut tokio::sync::watch::Receiver<u64>,
) -> Result<Wake, WatchError> {
    tokio::select! {
        wake = rest(inventory, commits) => wake,
        Ok(()) = silences.changed() => Ok(Wake::Silence),
    }
}

/// Where the watch begins to read changes.
pub(crate) async fn begin(
    inventory: &Inventory,
    account: &AccountId,
    visible: &Visible,
    cursor: Option<Cursor>,
) -> Result<Cursor, WatchError> {
    let extent = inventory.store().reads().change_bounds(account).await?;
    let incarnation = inventory.store().reads().incarnation();
    let stamp = visible.stamp(account);
    let Some(cursor) = cursor else {
        let change = extent.latest;
        return Ok(Cursor {
            incarnation,
            change,
            base: change,
            stamp,
        });
    };
    if cursor.stamp != stamp {
        return Err(WatchError::ScopeChanged);
    }
    if cursor.incarnation != incarnation || cursor.change > extent.latest {
        return Err(WatchError::CursorExpired);
    }
    check(cursor.change, extent.forgotten)?;
    Ok(cursor)
}

pub(crate) fn check(change: u64, forgotten: u64) -> Result<(), WatchError> {
    if change < forgotten {
        return Err(WatchError::CursorExpired);
    }
    Ok(())
}

/// What a change says to this watcher: nothing where it can not have seen the application since `base`.
pub(crate) fn event(
    filter: &Filter,
    record: Record,
    base: u64,
) -> Result<Option<Event>, WatchError> {
    if record.life == ObjectLife::Live && filter.matches(&record.facts()) {
        return Ok(Some(Event::Updated(Box::new(record))));
    }
    if !filter.admits(&record.facts()) {
        return Ok(None);
    }
    match filter.visible.saw(&record, base) {
        PastVisibility::Yes => Ok(Some(Event::Gone(record.key))),
        PastVisibility::No => Ok(None),
        PastVisibility::Forgotten => Err(WatchError::CursorExpired),
    }
}

#[cfg(test)]
mod tests;
