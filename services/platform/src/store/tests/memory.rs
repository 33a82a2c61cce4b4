//! In-memory store of unit tests: no threads and no disk, so that every call completes at once.

mod accounts;
mod api_keys;
mod audit;
mod preferences;
mod replicas;
mod runtimes;
mod sessions;
mod sign_in;
mod throttle;

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use causeway_proto::ids::{AccountId, RuntimeId, RuntimeName, UserId};
use futures::future::ready;

use self::{audit::Chain, sign_in::SignIns};
use crate::{
    accounts::model::Account,
    api_keys::model::ApiKey,
    audit::ChainId,
    preferences::model::{Preferences, SavedView},
    request::{Recorded, UserRequest},
    roles::model::Role,
    runtimes::model::{JoinToken, Runtime},
    secret::SecretDigest,
    store::StoreFuture,
    users::model::User,
};

/// All rows, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct MemoryStore(Mutex<State>);

#[derive(Debug, Default)]
pub(crate) struct State {
    /// Each with the version of its policy.
    pub accounts: Vec<(Account, u64)>,
    pub users: Vec<User>,
    pub roles: Vec<(AccountId, Role)>,
    pub keys: Vec<KeyRow>,
    pub tokens: Vec<TokenRow>,
    pub runtimes: Vec<Runtime>,
    pub requests: Vec<(UserRequest, String, i64)>,
    pub audit: BTreeMap<ChainId, Chain>,
    pub revocations: u64,
    /// The fingerprint of the root key.
    pub root: Option<String>,
    pub sign_ins: SignIns,
    pub preferences: BTreeMap<(AccountId, UserId), Preferences>,
    pub saved_views: Vec<SavedView>,
}

#[derive(Debug)]
pub(crate) struct KeyRow {
    pub digest: SecretDigest,
    /// The digest before the present one.
    pub former: Option<SecretDigest>,
    pub key: ApiKey,
}

#[derive(Debug, Clone)]
pub(crate) struct TokenRow {
    pub token: JoinToken,
    /// The runtime that it is for, where one is there already.
    pub rejoins: Option<RuntimeId>,
    pub used_by: Option<RuntimeId>,
}

impl MemoryStore {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn with<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut State) -> T,
    ) -> StoreFuture<'static, T> {
        Box::pin(ready(Ok(act(&mut self.lock()))))
    }
}

impl State {
    /// What came of a request with this id before.
    pub(crate) fn recall(&self, request: &UserRequest) -> Option<Recorded<String>> {
        let same = |known: &UserRequest| {
            UserRequest {
                digest: request.digest,
                policy_version: request.policy_version,
                ..known.clone()
            } == *request
        };
        let (known, outcome, _) = self.requests.iter().find(|(known, ..)| same(known))?;
        if known.digest != request.digest {
            return Some(Recorded::Reused);
        }
        Some(Recorded::Repeated(outcome.clone()))
    }

    pub(crate) fn remember(&mut self, request: &UserRequest, outcome: &str, now: i64) {
        self.requests
            .push((request.clone(), outcome.to_owned(), now));
    }

    pub(crate) fn key(&mut self, account: &AccountId, key_id: &str) -> Option<&mut KeyRow> {
        let mut keys = self.keys.iter_mut();
        keys.find(|row| row.key.account == *account && row.key.key_id.as_str() == key_id)
    }

    pub(crate) fn runtime(&mut self, account: &AccountId, id: &str) -> Option<&mut Runtime> {
        let mut runtimes = self.runtimes.iter_mut();
        runtimes.find(|runtime| runtime.account == *account && runtime.runtime_id.as_str() == id)
    }

    /// The last that joined under a name.
    pub(crate) fn named(
        &mut self,
        account: &AccountId,
        name: &RuntimeName,
    ) -> Option<&mut Runtime> {
        let mut runtimes = self.runtimes.iter_mut().rev();
        runtimes.find(|runtime| runtime.account == *account && runtime.name == *name)
    }

    pub(crate) fn name_is_taken(&mut self, account: &AccountId, name: &RuntimeName) -> bool {
        self.named(account, name)
            .is_some_and(|runtime| runtime.revoked_at.is_none())
    }
}

impl<T> Recorded<T> {
    fn map<U>(self, turn: impl FnOnce(T) -> U) -> Recorded<U> {
        match self {
            Self::First(outcome) => Recorded::First(turn(outcome)),
            Self::Repeated(outcome) => Recorded::Repeated(turn(outcome)),
            Self::Reused => Recorded::Reused,
        }
    }
}
