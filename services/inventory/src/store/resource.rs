//! Questions about resources, events and images. Every one names the account first.

use causeway_proto::ids::AccountId;
use futures::future::BoxFuture;

use super::{Span, StoreError};
use crate::{
    application::View,
    event::{EventFilter, EventPage, EventPlace},
    image::{ImageFilter, ImagePage, ImageUse},
    resource::{ResourceFilter, ResourceKey, ResourcePage},
};

/// What a store answers of what is no Application.
pub trait ResourceReads: Send + Sync {
    /// Live resources that match and are visible, after a key, in the order of keys. The work for one page is bounded: one that ends
    /// before it is full says how far was looked.
    fn resources<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ResourceFilter,
        view: View,
        after: Option<&'a ResourceKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ResourcePage, StoreError>>;

    /// The key of the live resource whose last change has this number.
    fn resource_key<'a>(
        &'a self,
        account: &'a AccountId,
        change: u64,
    ) -> BoxFuture<'a, Result<Option<ResourceKey>, StoreError>>;

    /// Changed resources whose place matches, those that are gone or out of scope too, with their past, in the order of changes.
    fn changed_resources<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ResourceFilter,
        view: View,
        span: Span,
        limit: usize,
    ) -> BoxFuture<'a, Result<ResourcePage, StoreError>>;

    /// Events that match and are visible, the newest first, after a place. The work for one page is bounded: one that ends before it
    /// is full says how far was looked.
    fn events<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a EventFilter,
        after: Option<EventPlace>,
        limit: usize,
    ) -> BoxFuture<'a, Result<EventPage, StoreError>>;

    /// Where the event of this number stands now.
    fn event_place<'a>(
        &'a self,
        account: &'a AccountId,
        number: u64,
    ) -> BoxFuture<'a, Result<Option<EventPlace>, StoreError>>;

    /// Uses of images that match and are visible, in the order of images, after a use that was told of or, where the number of one
    /// that was looked at is still known, after that one.
    fn images<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ImageFilter,
        after: Option<&'a ImageUse>,
        looked: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ImagePage, StoreError>>;
}
