//! What API keys open, remembered for a few seconds so that a call does not wait for the disk, and when they were last used.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use causeway_proto::ids::{AccountId, KeyId, RoleName, UserId};
use tokio::time::Instant;

use crate::{
    api_key::{Grant, Holder},
    policy::Policy,
    role::Roles,
    secret::SecretDigest,
    store::{Store, StoreError},
};

/// How long another process may not see that a key was revoked or a role was changed here.
const KNOWN_FOR: Duration = Duration::from_secs(5);
const MOST_KNOWN: usize = 10_000;
/// Roles can be large.
const MOST_ACCOUNTS: usize = 100;

/// Grants by the digest of their secret. A secret that opens nothing is never remembered.
pub(crate) struct Grants {
    store: Arc<dyn Store>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    known: HashMap<SecretDigest, (Arc<Grant>, Instant)>,
    roles: HashMap<AccountId, (Arc<Roles>, Instant)>,
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
    pub(crate) async fn find(
        &self,
        digest: SecretDigest,
    ) -> Result<Option<Arc<Grant>>, StoreError> {
        let revocations = {
            let state = self.lock();
            if let Some(grant) = fresh(state.known.get(&digest)) {
                return Ok(Some(grant));
            }
            state.revocations
        };
        let Some(holder) = self.store.find_holder(digest).await? else {
            return Ok(None);
        };
        let roles = self.roles(&holder.key.account).await?;
        let grant = Arc::new(Grant::new(holder, &roles));
        let mut state = self.lock();
        if state.revocations == revocations {
            keep(&mut state.known, MOST_KNOWN, digest, &grant);
        }
        Ok(Some(grant))
    }

    /// What a user may do by a credential with a role of its own, or without one, as the store has it now; none if it may not
    /// sign in.
    pub(crate) async fn policy_of(
        &self,
        account: &AccountId,
        user: &UserId,
        limit: Option<&RoleName>,
    ) -> Result<Option<Policy>, StoreError> {
        let found = self.store.find_user(account, user).await?;
        let Some(user) = found.filter(|user| user.may_sign_in()) else {
            return Ok(None);
        };
        let roles = self.store.roles(account).await?;
        Ok(Some(Policy::new(&roles, &user.roles, limit)))
    }

    /// An account's roles, shared by all grants of the account that are read in the same seconds.
    async fn roles(&self, account: &AccountId) -> Result<Arc<Roles>, StoreError> {
        let revocations = {
            let state = self.lock();
            if let Some(roles) = fresh(state.roles.get(account)) {
                return Ok(roles);
            }
            state.revocations
        };
        let roles = Arc::new(self.store.roles(account).await?);
        let mut state = self.lock();
        if state.revocations == revocations {
            keep(&mut state.roles, MOST_ACCOUNTS, account.clone(), &roles);
        }
        Ok(roles)
    }

    /// Forgets all that a revocation or a change of users and roles may have changed. To be called when it is durable.
    pub(crate) fn revoked(&self) {
        let mut state = self.lock();
        state.revocations += 1;
        state.known.clear();
        state.roles.clear();
    }

    /// Notes that a key was used.
    pub(crate) fn used(&self, grant: &Grant, now: i64) {
        let key = &grant.holder.key;
        let key = (key.account.clone(), key.key_id.clone());
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

impl Grant {
    fn new(holder: Holder, roles: &Roles) -> Self {
        let limit = holder.key.role.as_ref();
        let policy = Policy::new(roles, &holder.owner.roles, limit);
        Self { holder, policy }
    }
}

fn fresh<T>(known: Option<&(Arc<T>, Instant)>) -> Option<Arc<T>> {
    let (known, since) = known?;
    (since.elapsed() < KNOWN_FOR).then(|| Arc::clone(known))
}

fn keep<K: Eq + std::hash::Hash, T>(
    known: &mut HashMap<K, (Arc<T>, Instant)>,
    most: usize,
    key: K,
    value: &Arc<T>,
) {
    if known.len() >= most {
        known.clear();
    }
    known.insert(key, (Arc::clone(value), Instant::now()));
}
