//! What API keys open, remembered for a few seconds so that a call does not wait for the disk, and when they were last used.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use causeway_proto::ids::{AccountId, KeyId};
use tokio::time::Instant;

use crate::{
    api_key::Grant,
    secret::SecretDigest,
    store::{Store, StoreError},
};

/// How long another process may not see that a key was revoked here.
const KNOWN_FOR: Duration = Duration::from_secs(5);
const MOST_KNOWN: usize = 10_000;

/// Grants by the digest of their secret. A secret that opens nothing is never remembered.
pub(crate) struct Grants {
    store: Arc<dyn Store>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    known: HashMap<SecretDigest, (Grant, Instant)>,
    /// Rises with each revocation, so that what was read before it is not remembered after it.
    revocations: u64,
    used: HashMap<(AccountId, KeyId), i64>,
}

impl Grants {
    /// Over a store.
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        let state = Mutex::default();
        Self { store, state }
    }

    /// The grant of a secret, revoked and expired ones too.
    pub(crate) async fn find(&self, digest: SecretDigest) -> Result<Option<Grant>, StoreError> {
        let revocations = {
            let state = self.lock();
            if let Some(grant) = state.fresh(&digest) {
                return Ok(Some(grant));
            }
            state.revocations
        };
        let found = self.store.find_grant(digest).await?;
        if let Some(grant) = &found {
            self.lock().remember(digest, grant, revocations);
        }
        Ok(found)
    }

    /// Forgets all that a revocation may have changed. To be called when it is durable.
    pub(crate) fn revoked(&self) {
        let mut state = self.lock();
        state.revocations += 1;
        state.known.clear();
    }

    /// Notes that a key was used.
    pub(crate) fn used(&self, grant: &Grant, now: i64) {
        let key = (grant.key.account.clone(), grant.key.key_id.clone());
        self.lock().used.insert(key, now);
    }

    /// When keys were last used that the store may not know yet. To be asked before the store.
    pub(crate) fn last_used(&self) -> HashMap<(AccountId, KeyId), i64> {
        self.lock().used.clone()
    }

    /// Writes the uses that were noted since the last time.
    pub(crate) async fn flush(&self) -> Result<(), StoreError> {
        // They stay in sight until the store has them.
        let used = self.lock().used.clone();
        if used.is_empty() {
            return Ok(());
        }
        let rows = used
            .iter()
            .map(|((account, key_id), at)| (account.clone(), key_id.clone(), *at));
        self.store.touch_api_keys(rows.collect()).await?;
        let mut state = self.lock();
        state.used.retain(|key, at| used.get(key) != Some(at));
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn fresh(&self, digest: &SecretDigest) -> Option<Grant> {
        let (grant, since) = self.known.get(digest)?;
        (since.elapsed() < KNOWN_FOR).then(|| grant.clone())
    }

    fn remember(&mut self, digest: SecretDigest, grant: &Grant, revocations: u64) {
        if self.revocations != revocations {
            return;
        }
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert(digest, (grant.clone(), Instant::now()));
    }
}
