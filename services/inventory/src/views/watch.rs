//! Reads the changes of an account once for all views that are as far as each other.

use std::collections::{HashMap, hash_map::Entry};

use causeway_proto::ids::AccountId;
use futures::Stream;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use super::view::{Progress, ViewStep, WatchedView};
use crate::{
    application::{Filter, NextPage, Page, Record, View},
    inventory::Inventory,
    store::{ChangeBounds, ChangeRange},
    watch::{Wake, WatchError, begin, check, event},
};

/// Changes in one response.
const MAX_CHANGES: usize = 200;

/// Pages of changes by where they begin and end and how much they have of each application.
type Pages = HashMap<(u64, u64, bool), Page<Record>>;

/// Watches until the inventory stops or the caller goes away.
pub fn watch(
    inventory: Inventory,
    account: AccountId,
    views: Vec<WatchedView>,
) -> impl Stream<Item = Result<ViewStep, WatchError>> + Send + 'static {
    async_stream::try_stream! {
        let store = inventory.store().clone();
        let mut commits = store.reads().commits().subscribe(&account);
        let mut all = Vec::new();
        for view in views {
            let at = begin(&inventory, &account, &view.filter.visible, view.cursor).await?;
            all.push(Progress::new(view, at));
        }
        let mut bounds = store.reads().change_bounds(&account).await?;
        let mut stirred = false;
        loop {
            let now = Instant::now();
            if stirred && all.iter().any(|view| view.may_look(now)) {
                commits.borrow_and_update();
                bounds = store.reads().change_bounds(&account).await?;
                stirred = false;
            }
            let mut pages = Pages::new();
            for view in &mut all {
                if !view.is_due(bounds.latest, now) {
                    continue;
                }
                let step = advance(&inventory, &account, view, bounds, &mut pages).await?;
                if let Some(step) = step {
                    yield step;
                }
            }
            let next = all.iter().map(|view| view.next_look(bounds.latest, stirred)).min();
            let next = next.unwrap_or(now);
            stirred |= rest(&inventory, &mut commits, next).await? == Wake::Commit;
        }
    }
}

async fn rest(
    inventory: &Inventory,
    commits: &mut watch::Receiver<u64>,
    next: Instant,
) -> Result<Wake, WatchError> {
    tokio::select! {
        () = inventory.stop().cancelled() => Err(WatchError::Draining),
        changed = commits.changed() => {
            changed.map(|()| Wake::Commit).map_err(|_| WatchError::Draining)
        }
        () = sleep_until(next) => Ok(Wake::Time),
    }
}

/// Reads the next changes of a view, and counts again if there are any.
async fn advance(
    inventory: &Inventory,
    account: &AccountId,
    view: &mut Progress,
    bounds: ChangeBounds,
    pages: &mut Pages,
) -> Result<Option<ViewStep>, WatchError> {
    check(view.at.change, bounds.forgotten)?;
    let filter = &view.watched.filter;
    let is_full = view.watched.view == View::Full;
    let key = (view.at.change, bounds.latest, is_full);
    let page = match pages.entry(key) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(unread) => {
            unread.insert(read(inventory, account, view, bounds.latest).await?)
        }
    };
    let mut events = Vec::new();
    for record in &page.items {
        events.extend(event(filter, record.clone(), view.at.base)?);
    }
    let counts = if page.items.is_empty() && view.has_counted() {
        None
    } else {
        let query = &view.watched.query;
        Some(inventory.counts(account, filter, query).await?)
    };
    match (&page.rest, page.items.last()) {
        (NextPage::End, _) | (_, None) => {
            view.at.change = view.at.change.max(bounds.latest);
            view.at.base = view.at.change;
        }
        (_, Some(last)) => view.at.change = last.change,
    }
    Ok(view.step(events, counts.map(|counts| counts.facets)))
}

/// Changes of all that is visible, so that views of one caller share them.
async fn read(
    inventory: &Inventory,
    account: &AccountId,
    view: &Progress,
    latest: u64,
) -> Result<Page<Record>, WatchError> {
    let all = Filter::within(view.watched.filter.visible.clone());
    let range = ChangeRange {
        after: view.at.change,
        to: latest,
    };
    let reads = inventory.store().reads();
    let page = reads.changed_applications(account, &all, view.watched.view, range, MAX_CHANGES);
    Ok(page.await?)
}
