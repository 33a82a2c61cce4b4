//! What callers ask of objects that are no Applications.

use bytes::Bytes;
use causeway_proto::ids::AccountId;
use futures::Stream;

use super::{Inventory, ListError};
use crate::{
    application::{View, Visible},
    digest::Digest,
    event::{EventFilter, EventPage, EventToken},
    image::{ImageFilter, ImagePage, ImageToken},
    resource::{ResourceFilter, ResourcePage, ResourceRecord, ResourceToken},
    store::StoreError,
    watch::{
        WatchError,
        resource::{ResourceStep, ResourceWatch, watch},
    },
};

/// How many of one name are looked at to tell that there are several.
const SAME_NAME: usize = 100;

/// Names one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedResource {
    /// Its runtime, by name.
    pub runtime: String,
    /// Its kind, as "Rollout" or as "rollouts.argoproj.io".
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its namespace; empty where only one has it.
    pub namespace: String,
    /// Its cluster; empty where only one has it.
    pub cluster: String,
}

/// Why a resource was not found. One that is out of the caller's scope is as if it were not there.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// There is none of that name.
    #[error("there is no {kind} {name} in runtime {runtime}: see ListResources for those that there are", kind = .0.kind, name = .0.name, runtime = .0.runtime)]
    Unknown(WantedResource),
    /// Several have that name.
    #[error("several have this name: name one of {0} by `namespace` and `cluster`")]
    Several(String),
    /// The store does not work.
    #[error("resources cannot be read now: try again")]
    Store(#[from] StoreError),
}

impl Inventory {
    /// A page of resources, and where the next one begins.
    pub async fn resources(
        &self,
        account: &AccountId,
        filter: &ResourceFilter,
        view: View,
        from: Option<&ResourceToken>,
        limit: usize,
    ) -> Result<(ResourcePage, Option<ResourceToken>), ListError> {
        let stamp = filter.visible.stamp(account);
        if from.is_some_and(|from| from.stamp != stamp) {
            return Err(ListError::OtherScope);
        }
        let reads = self.store().reads();
        let looked = match from.and_then(|from| from.looked) {
            Some(change) => reads.resource_key(account, change).await?,
            None => None,
        };
        // Where what was looked at has changed since, it is looked at again.
        let told = from.and_then(|from| from.place.clone());
        let after = looked.into_iter().chain(told).max();
        let page = reads.list_resources(account, filter, view, after.as_ref(), limit);
        let page = page.await?;
        let next = page.next(from, stamp);
        Ok((page, next))
    }

    /// One resource, whole.
    pub async fn resource(
        &self,
        account: &AccountId,
        visible: Visible,
        wanted: WantedResource,
    ) -> Result<ResourceRecord, FindError> {
        let filter = ResourceFilter {
            runtime: wanted.runtime.clone(),
            kind: wanted.kind.clone(),
            name: wanted.name.clone(),
            namespace: wanted.namespace.clone(),
            cluster: wanted.cluster.clone(),
            ..ResourceFilter::within(visible)
        };
        let (mut found, mut after) = (Vec::new(), None);
        while found.len() < SAME_NAME {
            let reads = self.store().reads();
            let page =
                reads.list_resources(account, &filter, View::Full, after.as_ref(), SAME_NAME);
            let page = page.await?;
            found.extend(page.items);
            let Some((key, _)) = page.looked else {
                break;
            };
            after = Some(key);
        }
        the_one(found, wanted)
    }

    /// The live manifest of a resource.
    pub async fn resource_manifest(
        &self,
        account: &AccountId,
        digest: &Digest,
    ) -> Result<Option<Bytes>, StoreError> {
        self.store().reads().manifest(account, digest).await
    }

    /// Watches resources.
    pub fn watch_resources(
        &self,
        asked: ResourceWatch,
    ) -> impl Stream<Item = Result<ResourceStep, WatchError>> + Send + 'static {
        watch(self.clone(), asked)
    }

    /// A page of events, the newest first, and where the next one begins.
    pub async fn events(
        &self,
        account: &AccountId,
        filter: &EventFilter,
        from: Option<&EventToken>,
        limit: usize,
    ) -> Result<(EventPage, Option<EventToken>), ListError> {
        let stamp = filter.visible.stamp(account);
        if from.is_some_and(|from| from.stamp != stamp) {
            return Err(ListError::OtherScope);
        }
        let reads = self.store().reads();
        let looked = match from.and_then(|from| from.looked) {
            Some(number) => reads.event_place(account, number).await?,
            None => None,
        };
        // Where what was looked at happened again since, it stands above what was told of, and is looked at again.
        let told = from.and_then(|from| from.place);
        let after = looked.into_iter().chain(told).min();
        let page = reads.list_events(account, filter, after, limit).await?;
        let next = page.next(from, stamp);
        Ok((page, next))
    }

    /// A page of uses of images, and where the next one begins.
    pub async fn images(
        &self,
        account: &AccountId,
        filter: &ImageFilter,
        from: Option<&ImageToken>,
        limit: usize,
    ) -> Result<(ImagePage, Option<ImageToken>), ListError> {
        let stamp = filter.visible.stamp(account);
        if from.is_some_and(|from| from.stamp != stamp) {
            return Err(ListError::OtherScope);
        }
        let after = from.and_then(|from| from.place.as_ref());
        let looked = from.and_then(|from| from.looked);
        let reads = self.store().reads();
        let page = reads
            .list_images(account, filter, after, looked, limit)
            .await?;
        let next = page.next(from, stamp);
        Ok((page, next))
    }
}

/// The one that is meant, of those of a name.
fn the_one(
    found: Vec<ResourceRecord>,
    wanted: WantedResource,
) -> Result<ResourceRecord, FindError> {
    let place = |record: &ResourceRecord| {
        let key = &record.key;
        (
            key.cluster.clone(),
            key.resource.clone(),
            key.namespace.clone(),
        )
    };
    let mut places: Vec<_> = found.iter().map(place).collect();
    places.sort_unstable();
    places.dedup();
    if places.len() > 1 {
        let places = places
            .iter()
            .map(|(cluster, resource, namespace)| format!("{resource} in {cluster}/{namespace}"));
        let places: Vec<String> = places.collect();
        return Err(FindError::Several(places.join(", ")));
    }
    // Two runtimes may have had the name after each other: the later word counts.
    let newest = found.into_iter().max_by_key(|record| record.change);
    newest.ok_or(FindError::Unknown(wanted))
}
