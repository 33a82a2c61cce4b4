//! The store without a disk, for simulations and tests. It answers as the others do and forgets all at its end.

mod api_keys;
mod audit;
mod policies;
mod replicas;
mod runtimes;
mod sign_in;

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use causeway_proto::ids::{AccountId, RuntimeId, RuntimeName};
use futures::future::ready;

use super::Answer;
use crate::{
    account::Account,
    api_key::ApiKey,
    audit::ChainId,
    request::{Recorded, UserRequest},
    role::Role,
    runtime::{JoinToken, Runtime},
    secret::SecretDigest,
    user::User,
};

/// All rows, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct MemoryStore(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Each with the version of its policy.
    accounts: Vec<(Account, u64)>,
    users: Vec<User>,
    roles: Vec<(AccountId, Role)>,
    keys: Vec<KeyRow>,
    tokens: Vec<TokenRow>,
    runtimes: Vec<Runtime>,
    requests: Vec<(UserRequest, String, i64)>,
    audit: BTreeMap<ChainId, audit::Chain>,
    revocations: u64,
    /// The fingerprint of the root key.
    root: Option<String>,
    sign_ins: sign_in::SignIns,
}

#[derive(Debug)]
struct KeyRow {
    digest: SecretDigest,
    /// The digest before the present one.
    former: Option<SecretDigest>,
    key: ApiKey,
}

#[derive(Debug, Clone)]
struct TokenRow {
    token: JoinToken,
    /// The runtime that it is for, where one is there already.
    rejoins: Option<RuntimeId>,
    used_by: Option<RuntimeId>,
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T: Send + 'static>(&self, act: impl FnOnce(&mut State) -> T) -> Answer<'static, T> {
        Box::pin(ready(Ok(act(&mut self.lock()))))
    }
}

impl State {
    /// What came of a request with this id before.
    fn recall(&self, request: &UserRequest) -> Option<Recorded<String>> {
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

    fn remember(&mut self, request: &UserRequest, outcome: &str, now: i64) {
        self.requests
            .push((request.clone(), outcome.to_owned(), now));
    }

    fn key(&mut self, account: &AccountId, key_id: &str) -> Option<&mut KeyRow> {
        let mut keys = self.keys.iter_mut();
        keys.find(|row| row.key.account == *account && row.key.key_id.as_str() == key_id)
    }

    fn runtime(&mut self, account: &AccountId, id: &str) -> Option<&mut Runtime> {
        let mut runtimes = self.runtimes.iter_mut();
        runtimes.find(|runtime| runtime.account == *account && runtime.runtime_id.as_str() == id)
    }

    /// The last that joined under a name.
    fn named(&mut self, account: &AccountId, name: &RuntimeName) -> Option<&mut Runtime> {
        let mut runtimes = self.runtimes.iter_mut().rev();
        runtimes.find(|runtime| runtime.account == *account && runtime.name == *name)
    }

    fn name_is_taken(&mut self, account: &AccountId, name: &RuntimeName) -> bool {
        self.named(account, name)
            .is_some_and(|runtime| runtime.revoked_at.is_none())
    }
}
