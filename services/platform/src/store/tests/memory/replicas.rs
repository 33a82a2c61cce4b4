//! Replica store of a single replica.

use causeway_database::Listener;

use super::MemoryStore;
use crate::{
    replicas::exchange::Message,
    store::{ReplicaStore, RootKeyNote, StoreFuture},
};

impl ReplicaStore for MemoryStore {
    fn count_revocations(&self) -> StoreFuture<'_, u64> {
        self.with(|state| state.revocations)
    }

    fn listen_to_replicas(&self) -> Listener {
        Listener::disabled()
    }

    fn register_root<'a>(
        &'a self,
        fingerprint: &'a str,
        first: RootKeyNote,
    ) -> StoreFuture<'a, String> {
        self.with(|state| {
            let known = state.root.take().filter(|_| first == RootKeyNote::Stays);
            let noted = known.unwrap_or_else(|| fingerprint.to_owned());
            state.root.insert(noted).clone()
        })
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn exchange<'a>(
        &'a self,
        _replica: &'a str,
        _told: Vec<Message>,
        _now: i64,
    ) -> StoreFuture<'a, Vec<Message>> {
        self.with(|_| Vec::new())
    }
}
