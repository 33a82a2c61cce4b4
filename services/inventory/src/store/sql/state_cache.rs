//! Cache of the last committed states, compressed and bounded by bytes. Most deltas have one of these as their base, which saves
//! the read of its row.

use std::{
    hash::{DefaultHasher, Hash, Hasher as _},
    sync::Arc,
};

use bytes::Bytes;
use moka::{future::Cache, policy::EvictionPolicy};

use crate::{
    application::{Change, Scope, Uid},
    digest::Digest,
};

const MAX_BYTES: u64 = if cfg!(test) { 4 << 10 } else { 32 << 20 };
/// Approximate size of an entry without its content.
const OVERHEAD: usize = 200;

/// Cache by hash of scope and uid.
#[derive(Debug, Clone)]
pub(super) struct StateCache(Cache<u64, Arc<CachedState>>);

/// Change of the cache after a commit.
pub(super) enum CacheUpdate {
    /// New state of an object, compressed.
    Insert(Arc<Change>, Bytes),
    /// Deletion of an object.
    Evict(Arc<Scope>, Uid),
}

#[derive(Debug)]
struct CachedState {
    scope: Arc<Scope>,
    uid: Uid,
    root: Digest,
    packed: Bytes,
}

impl StateCache {
    pub(super) fn new() -> Self {
        let importance = |_: &u64, state: &Arc<CachedState>| {
            u32::try_from(state.packed.len() + OVERHEAD).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder()
            .weigher(importance)
            .max_capacity(MAX_BYTES)
            .eviction_policy(EvictionPolicy::lru())
            .build();
        Self(cache)
    }

    /// Returns the compressed state of an object, if it has this digest.
    pub(super) async fn get(&self, scope: &Scope, uid: &Uid, root: &Digest) -> Option<Bytes> {
        let state = self.0.get(&hash_of(scope, uid)).await?;
        let same = (&*state.scope, &state.uid, &state.root) == (scope, uid, root);
        same.then(|| state.packed.clone())
    }

    /// Applies updates in the order of their commits.
    pub(super) async fn apply(&self, updates: Vec<CacheUpdate>) {
        for update in updates {
            match update {
                CacheUpdate::Insert(change, packed) => self.insert(&change, packed).await,
                CacheUpdate::Evict(scope, uid) => self.0.invalidate(&hash_of(&scope, &uid)).await,
            }
        }
    }

    async fn insert(&self, change: &Change, packed: Bytes) {
        let Some(state) = &change.state else {
            return;
        };
        let cached = CachedState {
            scope: change.scope.clone(),
            uid: change.uid.clone(),
            root: state.root_digest,
            packed,
        };
        let key = hash_of(&change.scope, &change.uid);
        self.0.insert(key, Arc::new(cached)).await;
    }
}

/// Objects with the same hash share one entry; `get` compares the full key.
fn hash_of(scope: &Scope, uid: &Uid) -> u64 {
    let mut hasher = DefaultHasher::new();
    (scope, uid).hash(&mut hasher);
    hasher.finish()
}
