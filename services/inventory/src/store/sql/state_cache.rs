//! The states of applications that were kept last, packed as they are kept, within a bound of bytes: most next ones are told by
//! them, and no row is read for that.

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

const MOST_BYTES: u64 = if cfg!(test) { 4 << 10 } else { 32 << 20 };
/// What one takes beside its content.
const OVERHEAD: usize = 200;

/// By object.
#[derive(Debug, Clone)]
pub(super) struct Recent(Cache<u64, Arc<Last>>);

/// What became of an object.
pub(super) enum Learnt {
    /// It has this state, packed.
    State(Arc<Change>, Bytes),
    /// It is gone.
    End(Arc<Scope>, Uid),
}

#[derive(Debug)]
struct Last {
    scope: Arc<Scope>,
    uid: Uid,
    root: Digest,
    packed: Bytes,
}

impl Recent {
    pub(super) fn new() -> Self {
        let weight = |_: &u64, last: &Arc<Last>| {
            u32::try_from(last.packed.len() + OVERHEAD).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder()
            .weigher(weight)
            .max_capacity(MOST_BYTES)
            .eviction_policy(EvictionPolicy::lru())
            .build();
        Self(cache)
    }

    /// The state of an object with this digest, packed.
    pub(super) async fn get(&self, scope: &Scope, uid: &Uid, root: &Digest) -> Option<Bytes> {
        let last = self.0.get(&number(scope, uid)).await?;
        let same = (&*last.scope, &last.uid, &last.root) == (scope, uid, root);
        same.then(|| last.packed.clone())
    }

    /// Learns what was committed, in its order.
    pub(super) async fn learn(&self, all: Vec<Learnt>) {
        for learnt in all {
            match learnt {
                Learnt::State(change, packed) => self.keep(&change, packed).await,
                Learnt::End(scope, uid) => self.0.invalidate(&number(&scope, &uid)).await,
            }
        }
    }

    async fn keep(&self, change: &Change, packed: Bytes) {
        let Some(state) = &change.state else {
            return;
        };
        let last = Last {
            scope: change.scope.clone(),
            uid: change.uid.clone(),
            root: state.root_digest,
            packed,
        };
        let number = number(&change.scope, &change.uid);
        self.0.insert(number, Arc::new(last)).await;
    }
}

/// Of two objects with one number the last one is remembered.
fn number(scope: &Scope, uid: &Uid) -> u64 {
    let mut hasher = DefaultHasher::new();
    (scope, uid).hash(&mut hasher);
    hasher.finish()
}
