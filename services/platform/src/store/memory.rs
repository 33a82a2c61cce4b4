//! The store without a disk, for simulations and tests. It answers as the others do and forgets all at its end.

use std::sync::{Mutex, MutexGuard, PoisonError};

use causeway_proto::ids::{AccountId, KeyId, RuntimeId, RuntimeName};
use futures::future::ready;
use uuid::Uuid;

use super::{
    Answer, ApiKeyStore, AuditStore, KeyRevokeOutcome, NEVER_TOLD, RevokeOutcome, RuntimeStore,
    TokenOutcome,
};
use crate::{
    api_key::{ApiKey, Grant, User},
    audit::{AuditRecord, End, Entry, Outcome, Written},
    request::{Recorded, UserRequest},
    runtime::{Bar, JoinOutcome, JoinToken, Joining, Runtime},
    secret::SecretDigest,
    session::{RuntimeKey, Seen},
};

/// All rows, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct MemoryStore(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    users: Vec<User>,
    keys: Vec<(SecretDigest, ApiKey)>,
    tokens: Vec<(JoinToken, Option<RuntimeId>)>,
    runtimes: Vec<Runtime>,
    requests: Vec<(UserRequest, String, i64)>,
    audit: Vec<AuditRecord>,
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

    fn key(&mut self, account: &AccountId, key_id: &str) -> Option<&mut ApiKey> {
        let mut keys = self.keys.iter_mut().map(|(_, key)| key);
        keys.find(|key| key.account == *account && key.key_id.as_str() == key_id)
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

    fn join(&mut self, token: SecretDigest, joining: &Joining, now: i64) -> JoinOutcome {
        let mut tokens = self.tokens.iter();
        let Some(at) =
            tokens.position(|(known, _)| known.digest == token && known.expires_at > now)
        else {
            return JoinOutcome::Invalid;
        };
        let (account, name) = (
            self.tokens[at].0.account.clone(),
            self.tokens[at].0.name.clone(),
        );
        let runtime = joining.clone().into_runtime(account, name, now);
        let bar = if let Some(id) = self.tokens[at].1.clone() {
            let mut found = self
                .runtime(&runtime.account, id.as_str())
                .filter(|known| known.is_same(joining));
            if let Some(known) = found.take() {
                return JoinOutcome::Joined(Box::new(known.clone()));
            }
            Some(Bar::Used)
        } else {
            self.taken(&runtime)
        };
        if let Some(bar) = bar {
            let (account, name) = (runtime.account, runtime.name);
            return JoinOutcome::Barred { account, name, bar };
        }
        self.tokens[at].1 = Some(runtime.runtime_id.clone());
        self.runtimes.push(runtime.clone());
        JoinOutcome::Joined(Box::new(runtime))
    }

    fn taken(&mut self, runtime: &Runtime) -> Option<Bar> {
        if self.name_is_taken(&runtime.account, &runtime.name) {
            return Some(Bar::NameTaken);
        }
        let mut present = self
            .runtimes
            .iter()
            .filter(|known| known.revoked_at.is_none());
        let same = present.any(|known| known.identity_key == runtime.identity_key);
        same.then_some(Bar::KeyTaken)
    }

    fn write(&mut self, entry: Entry) -> Written {
        match entry {
            Entry::Open(record) => {
                self.audit.push(*record);
                Written::Done
            }
            Entry::Close { audit_id, end } => {
                let mut rows = self.audit.iter_mut();
                let Some(row) = rows.find(|row| row.audit_id == audit_id) else {
                    return Written::NoRow;
                };
                if row.end.is_some() {
                    return Written::Kept;
                }
                row.end = Some(end);
                Written::Done
            }
        }
    }
}

impl ApiKeyStore for MemoryStore {
    fn has_account<'a>(&'a self, account: &'a AccountId) -> Answer<'a, bool> {
        self.with(|state| state.users.iter().any(|user| user.account == *account))
    }

    fn create_account<'a>(
        &'a self,
        user: &'a User,
        key: &'a ApiKey,
        digest: SecretDigest,
    ) -> Answer<'a, ()> {
        self.with(|state| {
            if !state
                .users
                .iter()
                .any(|known| known.account == user.account)
            {
                state.users.push(user.clone());
                state.keys.push((digest, key.clone()));
            }
        })
    }

    fn find_grant(&self, digest: SecretDigest) -> Answer<'_, Option<Grant>> {
        self.with(|state| {
            let (_, key) = state.keys.iter().find(|(known, _)| *known == digest)?;
            let mut users = state.users.iter();
            let owner = users.find(|user| user.account == key.account && user.user == key.user)?;
            Some(Grant {
                key: key.clone(),
                owner_role: owner.role,
            })
        })
    }

    fn create_api_key<'a>(
        &'a self,
        request: &'a UserRequest,
        key: &'a ApiKey,
        digest: SecretDigest,
    ) -> Answer<'a, Recorded<ApiKey>> {
        self.with(|state| match state.recall(request) {
            Some(recorded) => recorded.map(|id| {
                let found = state.key(&request.account, &id);
                found.expect("keys are never removed").clone()
            }),
            None => {
                state.keys.push((digest, key.clone()));
                state.remember(request, key.key_id.as_str(), key.created_at);
                Recorded::First(key.clone())
            }
        })
    }

    fn list_api_keys<'a>(&'a self, account: &'a AccountId) -> Answer<'a, Vec<ApiKey>> {
        self.with(|state| {
            let keys = state.keys.iter().map(|(_, key)| key);
            let mut keys: Vec<ApiKey> = keys
                .filter(|key| key.account == *account)
                .cloned()
                .collect();
            keys.sort_by(|a, b| {
                b.created_at
                    .cmp(&a.created_at)
                    .then_with(|| a.key_id.cmp(&b.key_id))
            });
            keys.truncate(1000);
            keys
        })
    }

    fn revoke_api_key<'a>(
        &'a self,
        request: &'a UserRequest,
        key_id: &'a KeyId,
        now: i64,
    ) -> Answer<'a, KeyRevokeOutcome> {
        self.with(|state| {
            let before = state.recall(request);
            if before == Some(Recorded::Reused) {
                return KeyRevokeOutcome::Revoked(Recorded::Reused);
            }
            let Some(key) = state.key(&request.account, key_id.as_str()) else {
                return KeyRevokeOutcome::Unknown;
            };
            key.revoked_at.get_or_insert(now);
            let key = key.clone();
            if before.is_some() {
                return KeyRevokeOutcome::Revoked(Recorded::Repeated(key));
            }
            state.remember(request, key_id.as_str(), now);
            KeyRevokeOutcome::Revoked(Recorded::First(key))
        })
    }

    fn touch_api_keys(&self, used: Vec<(AccountId, KeyId, i64)>) -> Answer<'_, ()> {
        self.with(|state| {
            for (account, key_id, at) in used {
                if let Some(key) = state.key(&account, key_id.as_str()) {
                    key.last_used_at = Some(at);
                }
            }
        })
    }
}

impl RuntimeStore for MemoryStore {
    fn create_join_token<'a>(
        &'a self,
        request: &'a UserRequest,
        token: &'a JoinToken,
    ) -> Answer<'a, TokenOutcome> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                let end = |text: String| text.parse().expect("it was written as a number");
                return TokenOutcome::Made(recorded.map(end));
            }
            if state.name_is_taken(&token.account, &token.name) {
                return TokenOutcome::NameTaken;
            }
            state.tokens.push((token.clone(), None));
            state.remember(request, &token.expires_at.to_string(), token.created_at);
            TokenOutcome::Made(Recorded::First(token.expires_at))
        })
    }

    fn join<'a>(
        &'a self,
        token: SecretDigest,
        joining: &'a Joining,
        now: i64,
    ) -> Answer<'a, JoinOutcome> {
        self.with(|state| state.join(token, joining, now))
    }

    fn list_runtimes<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a RuntimeName>,
        limit: u32,
    ) -> Answer<'a, Vec<Runtime>> {
        self.with(|state| {
            let own = state
                .runtimes
                .iter()
                .filter(|runtime| runtime.account == *account);
            let last: std::collections::BTreeMap<_, _> =
                own.map(|runtime| (&runtime.name, runtime)).collect();
            let page = last
                .into_iter()
                .filter(|(name, _)| behind.is_none_or(|behind| *name > behind));
            page.map(|(_, runtime)| runtime.clone())
                .take(limit as usize)
                .collect()
        })
    }

    fn find_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        name: &'a RuntimeName,
    ) -> Answer<'a, Option<Runtime>> {
        self.with(|state| state.named(account, name).cloned())
    }

    fn resolve_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        id: &'a RuntimeId,
    ) -> Answer<'a, Option<Runtime>> {
        self.with(|state| state.runtime(account, id.as_str()).cloned())
    }

    fn find_runtime_by_key<'a>(&'a self, key_id: &'a KeyId) -> Answer<'a, Option<Runtime>> {
        self.with(|state| {
            let mut present = state
                .runtimes
                .iter()
                .filter(|runtime| runtime.revoked_at.is_none());
            present.find(|runtime| runtime.key_id() == *key_id).cloned()
        })
    }

    fn revoke_runtime<'a>(
        &'a self,
        request: &'a UserRequest,
        name: &'a RuntimeName,
        now: i64,
    ) -> Answer<'a, RevokeOutcome> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                return RevokeOutcome::Revoked(recorded.map(|id| {
                    let found = state.runtime(&request.account, &id);
                    Box::new(found.expect("runtimes are never removed").clone())
                }));
            }
            let Some(runtime) = state.named(&request.account, name) else {
                return RevokeOutcome::Unknown;
            };
            runtime.revoked_at.get_or_insert(now);
            let runtime = Box::new(runtime.clone());
            state.remember(request, runtime.runtime_id.as_str(), now);
            RevokeOutcome::Revoked(Recorded::First(runtime))
        })
    }

    fn gone_runtimes<'a>(&'a self, of: &'a [RuntimeKey]) -> Answer<'a, Vec<RuntimeKey>> {
        self.with(|state| {
            let mut gone = of.to_vec();
            gone.retain(|(account, id)| {
                let found = state.runtime(account, id.as_str());
                found.is_none_or(|runtime| runtime.revoked_at.is_some())
            });
            gone
        })
    }

    fn touch_runtimes(&self, seen: Vec<(RuntimeKey, Seen)>) -> Answer<'_, ()> {
        self.with(|state| {
            for ((account, id), seen) in seen {
                let Some(runtime) = state.runtime(&account, id.as_str()) else {
                    continue;
                };
                runtime.last_seen_at = Some(seen.at);
                if !seen.version.is_empty() {
                    runtime.version = seen.version;
                }
            }
        })
    }
}

impl AuditStore for MemoryStore {
    fn write_audit(&self, entries: Vec<Entry>) -> Answer<'_, Vec<Written>> {
        self.with(|state| {
            entries
                .into_iter()
                .map(|entry| state.write(entry))
                .collect()
        })
    }

    fn list_audit<'a>(
        &'a self,
        account: &'a AccountId,
        before: Option<Uuid>,
        limit: u32,
    ) -> Answer<'a, Vec<AuditRecord>> {
        self.with(|state| {
            let own = state.audit.iter().filter(|row| row.account == *account);
            let page = own.filter(|row| before.is_none_or(|before| row.audit_id < before));
            let mut page: Vec<AuditRecord> = page.cloned().collect();
            page.sort_by_key(|row| std::cmp::Reverse(row.audit_id));
            page.truncate(limit as usize);
            page
        })
    }

    fn close_stale_audit(&self, opened_before: i64, now: i64) -> Answer<'_, u64> {
        self.with(|state| {
            let rows = state.audit.iter_mut();
            let stale = rows.filter(|row| row.end.is_none() && row.intended_at < opened_before);
            let end = || End::new(now, Outcome::Unknown, 2, NEVER_TOLD.to_owned());
            let closed = stale.map(|row| row.end = Some(end())).count();
            u64::try_from(closed).unwrap_or(u64::MAX)
        })
    }

    fn forget(&self, before: i64) -> Answer<'_, ()> {
        self.with(|state| {
            state.requests.retain(|(_, _, made_at)| *made_at >= before);
            state.tokens.retain(|(token, _)| token.expires_at >= before);
        })
    }
}
