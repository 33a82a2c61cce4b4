//! The store's answers about what is no Application.

use std::time::SystemTime;

use causeway_proto::{ids::AccountId, time};
use futures::{FutureExt as _, future::BoxFuture};

use super::{SqlStore, event, image, resource::read};
use crate::{
    application::View,
    event::{EventFilter, EventPage, EventPlace, KEPT_FOR},
    image::{ImageFilter, ImagePage, ImageUse},
    resource::{ResourceFilter, ResourceKey, ResourcePage},
    store::{ResourceReads, Span, StoreError},
};

impl ResourceReads for SqlStore {
    fn resources<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ResourceFilter,
        view: View,
        after: Option<&'a ResourceKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ResourcePage, StoreError>> {
        read::list(&self.database, account, filter, view, after, limit).boxed()
    }

    fn resource_key<'a>(
        &'a self,
        account: &'a AccountId,
        change: u64,
    ) -> BoxFuture<'a, Result<Option<ResourceKey>, StoreError>> {
        read::key_of(&self.database, account, change).boxed()
    }

    fn changed_resources<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ResourceFilter,
        view: View,
        span: Span,
        limit: usize,
    ) -> BoxFuture<'a, Result<ResourcePage, StoreError>> {
        read::changed(&self.database, account, filter, view, span, limit).boxed()
    }

    fn events<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a EventFilter,
        after: Option<EventPlace>,
        limit: usize,
    ) -> BoxFuture<'a, Result<EventPage, StoreError>> {
        let since = time::to_millis(SystemTime::now() - KEPT_FOR);
        event::list(&self.database, account, filter, (since, after), limit).boxed()
    }

    fn event_place<'a>(
        &'a self,
        account: &'a AccountId,
        number: u64,
    ) -> BoxFuture<'a, Result<Option<EventPlace>, StoreError>> {
        event::place(&self.database, account, number).boxed()
    }

    fn images<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ImageFilter,
        after: Option<&'a ImageUse>,
        looked: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ImagePage, StoreError>> {
        image::list(&self.database, account, filter, after, looked, limit).boxed()
    }
}
