//! Accounts, users and API keys.

use causeway_proto::ids::{AccountId, KeyId};

use super::MemoryStore;
use crate::{
    api_key::{ApiKey, Grant, User},
    request::{Recorded, UserRequest},
    secret::SecretDigest,
    store::{Answer, ApiKeyStore, KeyRevokeOutcome},
};

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
            state.revocations += 1;
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
