//! Queries of a store, one trait per subject. Each query names the account first. The work of one page is bounded: a page that ends
//! before it is full says how far the store has looked.

use bytes::Bytes;
use causeway_database::Listener;
use causeway_proto::ids::AccountId;
use futures::future::BoxFuture;

use super::{ChangeBounds, ChangeRange, CommitNotifier, StoreError};
use crate::{
    application::{
        Facets, Field, Filter, HeldObject, Key, ObjectName, Page, Place, Record, Scope, Sort,
        Summary, Uid, View, Visible,
    },
    deployment::{DeploymentCounts, DeploymentFilter, Deployments, Period},
    digest::Digest,
    event::{EventFilter, EventPage, EventPlace},
    history::{Entry, History, Moment},
    image::{ImageFilter, ImagePage, ImageUse},
    inventory::ApplicationRequest,
    page_key::PageKey,
    quota::{HistoryExcess, Owner, Usage},
    resource::{ResourceFilter, ResourceKey, ResourcePage, ResourceRecord},
    search::{FoundCluster, FoundImage, SearchQuery},
};

/// All queries of a store, with its identity and its change numbers.
pub trait Reads:
    ApplicationReads
    + ResourceReads
    + EventReads
    + ImageReads
    + ManifestReads
    + DeploymentReads
    + HistoryReads
    + SearchReads
{
    /// Random number of this database, created with it. A restored copy has another one.
    fn incarnation(&self) -> u64;

    /// Key that seals page tokens, shared by all replicas.
    fn page_key(&self) -> &PageKey;

    /// Live objects of a report scope after a uid, in the order of uids.
    fn list_held<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Uid>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<HeldObject>, StoreError>>;

    /// Bounds of the account's change numbers.
    fn change_bounds<'a>(
        &'a self,
        account: &'a AccountId,
    ) -> BoxFuture<'a, Result<ChangeBounds, StoreError>>;

    /// Number of live objects in all accounts.
    fn count_live(&self) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// What a runtime has.
    fn usage<'a>(&'a self, owner: &'a Owner) -> BoxFuture<'a, Result<Usage, StoreError>>;

    /// True if an object is held, by its uid or its name.
    fn is_held<'a>(
        &'a self,
        scope: &'a Scope,
        uid: &'a Uid,
        object: &'a ObjectName,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Runtimes with more former states than allowed.
    fn history_excess(&self, most: u64) -> BoxFuture<'_, Result<Vec<HistoryExcess>, StoreError>>;

    /// Notifies watchers of commits.
    fn commits(&self) -> &CommitNotifier;

    /// Reads the last change numbers, and notifies watchers of commits by other replicas.
    fn poll_commits(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Subscribes to change notifications from other replicas.
    fn listen(&self) -> Listener;
}

/// Queries of applications.
pub trait ApplicationReads: Send + Sync {
    /// Held state of a live application with this digest, as its reporter encoded it. None if another state is held, or if the row is
    /// older than the stored encoding.
    fn held_state<'a>(
        &'a self,
        scope: &'a Scope,
        uid: &'a Uid,
        root: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>>;

    /// Page of live, visible applications that match, in the filter's order.
    fn list_applications<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        after: Option<&'a Place>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>>;

    /// Counts of live, visible applications that match, per field, in one snapshot; at most `most` values per field.
    fn count_facets<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        fields: &'a [Field],
        most: usize,
    ) -> BoxFuture<'a, Result<Facets, StoreError>>;

    /// Changed applications in the order of changes, with the deleted ones and those that left the scope.
    fn changed_applications<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        range: ChangeRange,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>>;

    /// Live applications whose last change has one of these numbers, in any order.
    fn applications_of_changes<'a>(
        &'a self,
        account: &'a AccountId,
        view: View,
        changes: &'a [u64],
    ) -> BoxFuture<'a, Result<Vec<Record>, StoreError>>;

    /// Keys of live, visible applications. Large accounts are not searched completely.
    fn application_keys<'a>(
        &'a self,
        account: &'a AccountId,
        visible: &'a Visible,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Key>, StoreError>>;

    /// Position in the order of the live application whose last change has this number.
    fn place_of<'a>(
        &'a self,
        account: &'a AccountId,
        sort: Sort,
        change: u64,
    ) -> BoxFuture<'a, Result<Option<Place>, StoreError>>;
}

/// Queries of Kubernetes resources.
pub trait ResourceReads: Send + Sync {
    /// Page of live, visible resources that match, in the order of keys.
    fn list_resources<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ResourceFilter,
        view: View,
        after: Option<&'a ResourceKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ResourcePage, StoreError>>;

    /// Key of the live resource whose last change has this number.
    fn resource_key<'a>(
        &'a self,
        account: &'a AccountId,
        change: u64,
    ) -> BoxFuture<'a, Result<Option<ResourceKey>, StoreError>>;

    /// Changed resources in the order of changes, with the deleted ones and those that left the scope.
    fn changed_resources<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ResourceFilter,
        view: View,
        range: ChangeRange,
        limit: usize,
    ) -> BoxFuture<'a, Result<ResourcePage, StoreError>>;
}

/// Queries of Kubernetes events.
pub trait EventReads: Send + Sync {
    /// Page of visible events that match, newest first.
    fn list_events<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a EventFilter,
        after: Option<EventPlace>,
        limit: usize,
    ) -> BoxFuture<'a, Result<EventPage, StoreError>>;

    /// Current position of the event with this number.
    fn event_place<'a>(
        &'a self,
        account: &'a AccountId,
        number: u64,
    ) -> BoxFuture<'a, Result<Option<EventPlace>, StoreError>>;
}

/// Queries of image uses.
pub trait ImageReads: Send + Sync {
    /// Page of visible image uses that match, in the order of images. Begins after the last use returned or, if the row with the
    /// number `looked` still exists, after that row.
    fn list_images<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ImageFilter,
        after: Option<&'a ImageUse>,
        looked: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ImagePage, StoreError>>;
}

/// Queries of manifests.
pub trait ManifestReads: Send + Sync {
    /// Content of a manifest.
    fn manifest<'a>(
        &'a self,
        account: &'a AccountId,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>>;
}

/// Queries of ended operations.
pub trait DeploymentReads: Send + Sync {
    /// Page of visible operations that match, latest start first, after the one with this number. None if that one was removed.
    fn list_deployments<'a>(
        &'a self,
        account: &'a AccountId,
        sought: &'a DeploymentFilter,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Option<Deployments>, StoreError>>;

    /// Counts of visible operations that match, by the interval of their start.
    fn count_deployments<'a>(
        &'a self,
        account: &'a AccountId,
        sought: &'a DeploymentFilter,
        period: Period,
    ) -> BoxFuture<'a, Result<Vec<DeploymentCounts>, StoreError>>;
}

/// Queries of histories.
pub trait HistoryReads: Send + Sync {
    /// Histories under one name.
    fn find_histories<'a>(
        &'a self,
        account: &'a AccountId,
        wanted: &'a ApplicationRequest,
    ) -> BoxFuture<'a, Result<Vec<History>, StoreError>>;

    /// Entries of a history up to a moment, newest first. Stops at `most` entries or a full read budget, and then continues to the
    /// next entry that can be decoded alone.
    fn history_entries<'a>(
        &'a self,
        account: &'a AccountId,
        history: i64,
        until: Moment,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>>;

    /// Moment of the oldest entry of a history.
    fn history_start<'a>(
        &'a self,
        account: &'a AccountId,
        history: i64,
    ) -> BoxFuture<'a, Result<Option<Moment>, StoreError>>;
}

/// Searches by names. Each returns at most one result more than the limit of the search, best first.
pub trait SearchReads: Send + Sync {
    /// Live, visible applications, by name, namespace and project.
    fn search_applications<'a>(
        &'a self,
        account: &'a AccountId,
        search: &'a SearchQuery,
    ) -> BoxFuture<'a, Result<Vec<(Key, Summary)>, StoreError>>;

    /// Runtimes and clusters of live, visible applications, without a limit, unordered.
    fn search_clusters<'a>(
        &'a self,
        account: &'a AccountId,
        search: &'a SearchQuery,
    ) -> BoxFuture<'a, Result<Vec<FoundCluster>, StoreError>>;

    /// Live, visible resources without their contents, by name, namespace and kind.
    fn search_resources<'a>(
        &'a self,
        account: &'a AccountId,
        search: &'a SearchQuery,
    ) -> BoxFuture<'a, Result<Vec<ResourceRecord>, StoreError>>;

    /// Images of visible applications, by repository and tag.
    fn search_images<'a>(
        &'a self,
        account: &'a AccountId,
        search: &'a SearchQuery,
    ) -> BoxFuture<'a, Result<Vec<FoundImage>, StoreError>>;
}
