//! Watch of resources. Those of an application that leaves the caller's scope are sent as deleted too.

use causeway_proto::ids::AccountId;
use futures::Stream;

use super::{Cursor, PAGE, Wake, WatchError, begin, check, rest};
use crate::{
    application::{PastVisibility, View},
    inventory::Inventory,
    order::ObjectLife,
    resource::{ResourceFilter, ResourceKey, ResourceRecord},
    store::ChangeRange,
};

/// What to watch.
#[derive(Debug, Clone)]
pub struct ResourceWatch {
    /// Whose resources.
    pub account: AccountId,
    /// Which.
    pub filter: ResourceFilter,
    /// How much of each.
    pub view: View,
    /// Where to go on; nothing to begin with all.
    pub cursor: Option<Cursor>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceStep {
    /// What it says.
    pub event: ResourceEvent,
    /// Where to go on after it; nothing while the first state is being sent.
    pub cursor: Option<Cursor>,
}

/// What a step says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceEvent {
    /// The resource is now so.
    Updated(Box<ResourceRecord>),
    /// It is gone, or does not match any more.
    Gone(ResourceKey),
    /// All that was there has been sent.
    CaughtUp,
    /// Nothing but a cursor.
    Bookmark,
}

/// Watches until the inventory stops or the caller goes away.
pub fn watch(
    inventory: Inventory,
    watch: ResourceWatch,
) -> impl Stream<Item = Result<ResourceStep, WatchError>> + Send + 'static {
    async_stream::try_stream! {
        let store = inventory.store().clone();
        let account = &watch.account;
        let mut commits = store.reads().commits().subscribe(account);
        let mut at = begin(&inventory, account, &watch.filter.visible, watch.cursor).await?;
        if watch.cursor.is_none() {
            let mut after: Option<ResourceKey> = None;
            loop {
                let page = store.reads().list_resources(account, &watch.filter, watch.view, after.as_ref(), PAGE).await?;
                for record in page.items {
                    yield ResourceStep { event: ResourceEvent::Updated(Box::new(record)), cursor: None };
                }
                let Some((key, _)) = page.looked else {
                    break;
                };
                after = Some(key);
            }
        }
        let mut caught_up = false;
        loop {
            commits.borrow_and_update();
            let extent = store.reads().change_bounds(account).await?;
            check(at.change, extent.forgotten)?;
            while at.change < extent.latest {
                let span = ChangeRange { after: at.change, to: extent.latest };
                let page = store.reads().changed_resources(account, &watch.filter, watch.view, span, PAGE).await?;
                for record in page.items {
                    at.change = record.change;
                    if let Some(event) = event(&watch.filter, record, at.base)? {
                        yield ResourceStep { event, cursor: Some(at) };
                    }
                }
                if page.looked.is_none() {
                    at.change = extent.latest;
                    at.base = extent.latest;
                }
            }
            if !caught_up {
                caught_up = true;
                yield ResourceStep { event: ResourceEvent::CaughtUp, cursor: Some(at) };
            }
            let wake = rest(&inventory, &mut commits).await?;
            if wake == Wake::Time {
                yield ResourceStep { event: ResourceEvent::Bookmark, cursor: Some(at) };
            }
        }
    }
}

/// What a change says to this watcher: nothing where it can not have seen the resource since `base`.
fn event(
    filter: &ResourceFilter,
    record: ResourceRecord,
    base: u64,
) -> Result<Option<ResourceEvent>, WatchError> {
    if record.life == ObjectLife::Live && filter.matches(&record) {
        return Ok(Some(ResourceEvent::Updated(Box::new(record))));
    }
    match record.seen(&filter.visible, base) {
        PastVisibility::Yes => Ok(Some(ResourceEvent::Gone(record.key))),
        PastVisibility::No => Ok(None),
        PastVisibility::Forgotten => Err(WatchError::CursorExpired),
    }
}

#[cfg(test)]
mod tests;
