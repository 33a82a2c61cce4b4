//! Searches of the memory store.

use std::collections::BTreeMap;

use causeway_proto::ids::AccountId;
use futures::future::BoxFuture;

use super::{MemoryStore, ready};
use causeway_inventory::{
    application::{Filter, Key, Summary},
    image::ImageFilter,
    order::ObjectLife,
    resource::ResourceRecord,
    search::{FoundCluster, FoundImage, SearchQuery, best},
    store::{SearchReads, StoreError},
};

impl SearchReads for MemoryStore {
    fn search_applications<'a>(
        &'a self,
        account: &'a AccountId,
        search: &'a SearchQuery,
    ) -> BoxFuture<'a, Result<Vec<(Key, Summary)>, StoreError>> {
        let tables = self.tables();
        let filter = search.filter();
        ready(best(search, tables.matching(account, &filter)))
    }

    fn search_clusters<'a>(
        &'a self,
        account: &'a AccountId,
        search: &'a SearchQuery,
    ) -> BoxFuture<'a, Result<Vec<FoundCluster>, StoreError>> {
        let mut counts = BTreeMap::<(String, String), u64>::new();
        let filter = Filter::within(search.visible.clone());
        for record in self.tables().matching(account, &filter) {
            let key = &record.key;
            if search.matches(&[&key.runtime_name, &key.cluster]) {
                let place = (key.runtime_name.clone(), key.cluster.clone());
                *counts.entry(place).or_default() += 1;
            }
        }
        let found = counts.into_iter();
        let found = found.map(|((runtime, cluster), applications)| FoundCluster {
            runtime,
            cluster,
            applications,
        });
        ready(found.collect())
    }

    fn search_resources<'a>(
        &'a self,
        account: &'a AccountId,
        search: &'a SearchQuery,
    ) -> BoxFuture<'a, Result<Vec<ResourceRecord>, StoreError>> {
        let tables = self.tables();
        let own = tables.resources.iter();
        let own = own.filter(|((scope, _), _)| scope.account == *account);
        let live = own.map(|(_, row)| &row.record);
        let mut found: Vec<ResourceRecord> = live
            .filter(|it| it.life == ObjectLife::Live && it.is_visible(&search.visible))
            .filter(|it| search.matches(&[&it.key.name, &it.key.namespace, &it.kind]))
            .cloned()
            .collect();
        found.sort_by_cached_key(|it| {
            let name = it.key.name.clone();
            (search.rank(&name), name, it.key.clone())
        });
        found.truncate(search.limit + 1);
        ready(found)
    }

    fn search_images<'a>(
        &'a self,
        account: &'a AccountId,
        search: &'a SearchQuery,
    ) -> BoxFuture<'a, Result<Vec<FoundImage>, StoreError>> {
        let filter = ImageFilter {
            visible: search.visible.clone(),
            ..ImageFilter::default()
        };
        let mut counts = BTreeMap::<(String, String), u64>::new();
        for found in self.tables().image_uses(account, &filter) {
            let image = found.image;
            if search.matches(&[&image.repository, &image.tag]) {
                *counts.entry((image.repository, image.tag)).or_default() += 1;
            }
        }
        let found = counts.into_iter();
        let found = found.map(|((repository, tag), uses)| FoundImage {
            repository,
            tag,
            uses,
        });
        let mut found: Vec<FoundImage> = found.collect();
        found.sort_by_cached_key(|it| {
            (
                search.rank(&it.repository),
                it.repository.clone(),
                it.tag.clone(),
            )
        });
        found.truncate(search.limit + 1);
        ready(found)
    }
}
