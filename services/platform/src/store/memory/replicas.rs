//! There is one replica.

use causeway_database::Listener;

use super::MemoryStore;
use crate::{
    replica::Word,
    store::{Answer, ReplicaStore},
};

impl ReplicaStore for MemoryStore {
    fn count_revocations(&self) -> Answer<'_, u64> {
        self.with(|state| state.revocations)
    }

    fn listen_to_replicas(&self) -> Listener {
        Listener::deaf()
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
