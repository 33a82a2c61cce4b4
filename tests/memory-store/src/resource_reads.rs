//! The memory store's answers about what is no Application. It looks at everything, so that no page ends before it is full.

use bytes::Bytes;
use causeway_proto::ids::AccountId;
use futures::future::BoxFuture;

use super::{MemoryStore, ready};
use causeway_inventory::{
    application::View,
    event::{EventFilter, EventPage, EventPlace},
    image::{ImageFilter, ImagePage, ImageRest, ImageUse},
    order::ObjectLife,
    resource::{ResourceFilter, ResourceKey, ResourcePage, ResourceRecord},
    store::{ChangeRange, EventReads, ImageReads, ResourceReads, StoreError},
};

fn page<'a>(
    mut records: Vec<&'a ResourceRecord>,
    view: View,
    limit: usize,
    order: impl Fn(&&'a ResourceRecord, &&'a ResourceRecord) -> std::cmp::Ordering,
) -> ResourcePage {
    records.sort_by(order);
    let mut page = ResourcePage::default();
    for record in records {
        let mut record = record.clone();
        if view == View::Basic {
            record.detail = Bytes::new();
        }
        if !page.push(record, limit) {
            break;
        }
    }
    page
}

impl ResourceReads for MemoryStore {
    fn list_resources<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ResourceFilter,
        view: View,
        after: Option<&'a ResourceKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ResourcePage, StoreError>> {
        let tables = self.tables();
        let own = (tables.resources.iter()).filter(|((scope, _), _)| scope.account == *account);
        let found = own
            .map(|(_, row)| &row.record)
            .filter(|record| record.life == ObjectLife::Live && filter.matches(record))
            .filter(|record| after.is_none_or(|after| record.key > *after));
        let by_key = |one: &&ResourceRecord, other: &&ResourceRecord| one.key.cmp(&other.key);
        ready(page(found.collect(), view, limit, by_key))
    }

    fn resource_key<'a>(
        &'a self,
        account: &'a AccountId,
        change: u64,
    ) -> BoxFuture<'a, Result<Option<ResourceKey>, StoreError>> {
        let tables = self.tables();
        let mut own = (tables.resources.iter()).filter(|((scope, _), _)| scope.account == *account);
        let found =
            own.find(|(_, row)| row.record.change == change && row.record.life == ObjectLife::Live);
        ready(found.map(|(_, row)| row.record.key.clone()))
    }

    fn changed_resources<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ResourceFilter,
        view: View,
        span: ChangeRange,
        limit: usize,
    ) -> BoxFuture<'a, Result<ResourcePage, StoreError>> {
        let tables = self.tables();
        let own = (tables.resources.iter()).filter(|((scope, _), _)| scope.account == *account);
        let found = own
            .map(|(_, row)| &row.record)
            .filter(|record| record.change > span.after && record.change <= span.to)
            .filter(|record| filter.admits(record));
        let by_change =
            |one: &&ResourceRecord, other: &&ResourceRecord| one.change.cmp(&other.change);
        ready(page(found.collect(), view, limit, by_change))
    }
}

impl EventReads for MemoryStore {
    fn list_events<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a EventFilter,
        after: Option<EventPlace>,
        limit: usize,
    ) -> BoxFuture<'a, Result<EventPage, StoreError>> {
        ready(self.tables().listed_events(account, filter, after, limit))
    }

    fn event_place<'a>(
        &'a self,
        account: &'a AccountId,
        number: u64,
    ) -> BoxFuture<'a, Result<Option<EventPlace>, StoreError>> {
        ready(self.tables().event_place(account, number))
    }
}

impl ImageReads for MemoryStore {
    fn list_images<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ImageFilter,
        after: Option<&'a ImageUse>,
        _looked: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ImagePage, StoreError>> {
        let mut items = self.tables().image_uses(account, filter);
        items.retain(|found| after.is_none_or(|after| found.order() > after.order()));
        let rest = if items.len() > limit {
            ImageRest::More
        } else {
            ImageRest::End
        };
        items.truncate(limit);
        ready(ImagePage { items, rest })
    }
}
