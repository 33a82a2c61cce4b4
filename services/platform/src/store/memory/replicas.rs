//! There is one replica.

use causeway_database::Listener;

use super::MemoryStore;
use crate::store::{Answer, ReplicaStore};

impl ReplicaStore for MemoryStore {
    fn count_revocations(&self) -> Answer<'_, u64> {
        self.with(|state| state.revocations)
    }

    fn listen_to_replicas(&self) -> Listener {
        Listener::deaf()
    }
}
