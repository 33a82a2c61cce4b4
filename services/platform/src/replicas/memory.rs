//! Replica store of a single replica.

use causeway_database::Listener;

use crate::store::memory::MemoryStore;
use crate::{
    replicas::exchange::Word,
    store::{Answer, First, ReplicaStore},
};

impl ReplicaStore for MemoryStore {
    fn count_revocations(&self) -> Answer<'_, u64> {
        self.with(|state| state.revocations)
    }

    fn listen_to_replicas(&self) -> Listener {
        Listener::disabled()
    }

    fn register_root<'a>(&'a self, fingerprint: &'a str, first: First) -> Answer<'a, String> {
        self.with(|state| {
            let known = state.root.take().filter(|_| first == First::Stays);
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
        _told: Vec<Word>,
        _now: i64,
    ) -> Answer<'a, Vec<Word>> {
        self.with(|_| Vec::new())
    }
}
