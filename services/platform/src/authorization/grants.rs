//! Cache of credential lookups with a lifetime of a few seconds, and the last use of each credential.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use causeway_proto::ids::{AccountId, KeyId, SessionId};
use tokio::time::Instant;

use crate::{
    authorization::policy::Policy,
    credential::{Grant, PresentedCredential},
    platform::{Credential, Requester, now},
    roles::model::Roles,
    secret::{SESSION_PREFIX, SecretDigest},
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
    seen: HashMap<(AccountId, SessionId), i64>,
}

impl Grants {
    /// Over a store.
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        let state = Mutex::default();
        Self { store, state }
    }

    /// The grant of a secret, revoked and expired ones too.
    pub(crate) async fn find(&self, secret: &str) -> Result<Option<Arc<Grant>>, StoreError> {
        let Some(digest) = SecretDigest::of(secret) else {
            return Ok(None);
        };
        let revocations = {
            let state = self.lock();
            if let Some(grant) = fresh(state.known.get(&digest)) {
                return Ok(Some(grant));
            }
            state.revocations
        };
        let shown = if secret.starts_with(SESSION_PREFIX) {
            let found = self.store.find_session_holder(digest).await?;
            found.map(|it| PresentedCredential::Session(Box::new(it)))
        } else {
            let found = self.store.find_holder(digest).await?;
            found.map(|it| PresentedCredential::Key(Box::new(it)))
        };
        let Some(shown) = shown else {
            return Ok(None);
        };
        let roles = self.roles(shown.account()).await?;
        let policy = shown.policy(&roles);
        let grant = Arc::new(Grant { shown, policy });
        let mut state = self.lock();
        if state.revocations == revocations {
            keep(&mut state.known, MOST_KNOWN, digest, &grant);
        }
        Ok(Some(grant))
    }

    /// Returns the present policy of a credential, as the store has it now; none if the user may not sign in, or if what they
    /// showed opens nothing any more.
    pub(crate) async fn policy_of(&self, asker: &Requester) -> Result<Option<Policy>, StoreError> {
        let (account, user) = (&asker.account, &asker.user);
        // First, so that what is read behind it is never older than the version that the policy names.
        let roles = self.store.roles(account).await?;
        let found = self.store.find_user(account, user).await?;
        let Some(user) = found.filter(|user| user.may_sign_in()) else {
            return Ok(None);
        };
        let held = match &asker.shown {
            None => Some(user.roles),
            Some(Credential::Session(session_id)) => {
                let found = self.store.find_session(account, session_id).await?;
                let good = found.filter(|it| it.owner.user == user.user && it.check(now()).is_ok());
                good.map(|holder| holder.roles())
            }
            Some(Credential::Key(key_id, shown_at)) => {
                let found = self.store.find_api_key(account, key_id).await?;
                let good = found.filter(|it| it.user == user.user);
                let good = good.filter(|it| it.is_good_still(*shown_at, now()));
                good.map(|_| user.roles)
            }
        };
        Ok(held.map(|held| Policy::new(&roles, &held, asker.limit.as_ref())))
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

    /// Notes that a key or a session was used.
    pub(crate) fn used(&self, grant: &Grant, now: i64) {
        let account = grant.shown.account().clone();
        match &grant.shown {
            PresentedCredential::Key(it) => {
                let key = (account, it.key.key_id.clone());
                self.lock().used.insert(key, now);
            }
            PresentedCredential::Session(it) => {
                let session = (account, it.session.session_id.clone());
                self.lock().seen.insert(session, now);
            }
        }
    }

    /// When sessions were last used that the store may not know yet. To be asked before the store.
    pub(crate) fn last_seen(&self) -> HashMap<(AccountId, SessionId), i64> {
        self.lock().seen.clone()
    }

    /// When keys were last used that the store may not know yet. To be asked before the store.
    pub(crate) fn last_used(&self) -> HashMap<(AccountId, KeyId), i64> {
        self.lock().used.clone()
    }

    /// Writes the uses that were noted since the last time.
    pub(crate) async fn flush(&self) -> Result<(), StoreError> {
        self.flush_seen().await?;
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

    async fn flush_seen(&self) -> Result<(), StoreError> {
        let seen = self.last_seen();
        if seen.is_empty() {
            return Ok(());
        }
        let rows = seen
            .iter()
            .map(|((account, id), at)| (account.clone(), id.clone(), *at));
        self.store.touch_sessions(rows.collect()).await?;
        let mut state = self.lock();
        state.seen.retain(|key, at| seen.get(key) != Some(at));
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
