//! In-memory store of API keys.

use std::cmp::Reverse;

use causeway_proto::ids::{AccountId, KeyId};

use super::{KeyRow, MemoryStore, State, sessions::SessionSelector};
use crate::{
    api_keys::model::{ApiKey, Holder, KeyPlace, PresentedSecret, Rotation},
    request::{Recorded, UserRequest},
    secret::SecretDigest,
    store::{ApiKeyStore, Change, StoreFuture},
    users::model::User,
};

impl ApiKeyStore for MemoryStore {
    fn has_account<'a>(&'a self, account: &'a AccountId) -> StoreFuture<'a, bool> {
        self.with(|state| state.account(account).is_some())
    }

    fn create_account<'a>(
        &'a self,
        user: &'a User,
        key: &'a ApiKey,
        digest: SecretDigest,
    ) -> StoreFuture<'a, bool> {
        self.with(|state| {
            let made = state.account(&user.account).is_none();
            if made {
                state.add_account(user, key, digest);
            }
            made
        })
    }

    fn find_holder(&self, digest: SecretDigest) -> StoreFuture<'_, Option<Holder>> {
        self.with(|state| {
            let known = |row: &&KeyRow| row.digest == digest || row.former == Some(digest);
            let row = state.keys.iter().find(known)?;
            let shown = if row.digest == digest {
                PresentedSecret::Present
            } else {
                PresentedSecret::Former
            };
            let owner = state.user(&row.key.account, &row.key.user)?.clone();
            let key = row.key.clone();
            Some(Holder { key, shown, owner })
        })
    }

    fn create_api_key<'a>(
        &'a self,
        request: &'a UserRequest,
        key: &'a ApiKey,
        digest: SecretDigest,
    ) -> StoreFuture<'a, Change<ApiKey>> {
        self.with(|state| match state.recall(request) {
            Some(recorded) => Change::Made(recorded.map(|id| {
                let found = state.key(&request.account, &id);
                found.expect("keys are never removed").key.clone()
            })),
            None if state.is_overtaken(request) => Change::Overtaken,
            None => {
                state.add_key(key, digest);
                state.remember(request, key.key_id.as_str(), key.created_at);
                Change::Made(Recorded::First(key.clone()))
            }
        })
    }

    fn list_api_keys<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a KeyPlace>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<ApiKey>> {
        self.with(|state| {
            let place = |key: &ApiKey| (Reverse(key.created_at), key.key_id.clone());
            let behind = behind.map(|(created_at, key_id)| (Reverse(*created_at), key_id.clone()));
            let keys = state.keys.iter().map(|row| &row.key);
            let mut keys: Vec<ApiKey> = keys
                .filter(|key| key.account == *account && Some(place(key)) > behind)
                .cloned()
                .collect();
            keys.sort_by_key(place);
            keys.truncate(limit as usize);
            keys
        })
    }

    fn find_api_key<'a>(
        &'a self,
        account: &'a AccountId,
        key_id: &'a KeyId,
    ) -> StoreFuture<'a, Option<ApiKey>> {
        self.with(|state| {
            let row = state.key(account, key_id.as_str());
            row.map(|row| row.key.clone())
        })
    }

    fn rotate_api_key<'a>(
        &'a self,
        request: &'a UserRequest,
        key_id: &'a KeyId,
        digest: SecretDigest,
        rotation: Rotation,
    ) -> StoreFuture<'a, Change<ApiKey>> {
        self.with(|state| {
            state.change_key(request, key_id, rotation.rotated_at, |row| {
                if row.key.revoked_at.is_none() {
                    row.former = Some(std::mem::replace(&mut row.digest, digest));
                    row.key.rotation = Some(rotation);
                }
            })
        })
    }

    fn revoke_api_key<'a>(
        &'a self,
        request: &'a UserRequest,
        key_id: &'a KeyId,
        now: i64,
    ) -> StoreFuture<'a, Change<ApiKey>> {
        self.with(|state| {
            let first = state.recall(request).is_none();
            let change = state.change_key(request, key_id, now, |row| {
                row.key.revoked_at.get_or_insert(now);
            });
            if first && matches!(change, Change::Made(_)) {
                state.end_sessions(&request.account, SessionSelector::Key(key_id), now);
            }
            change
        })
    }

    fn touch_api_keys(&self, used: Vec<(AccountId, KeyId, i64)>) -> StoreFuture<'_, ()> {
        self.with(|state| {
            for (account, key_id, at) in used {
                if let Some(row) = state.key(&account, key_id.as_str()) {
                    row.key.last_used_at = Some(at);
                }
            }
        })
    }
}

impl State {
    pub(crate) fn add_key(&mut self, key: &ApiKey, digest: SecretDigest) {
        self.keys.push(KeyRow {
            digest,
            former: None,
            key: key.clone(),
        });
    }

    fn change_key(
        &mut self,
        request: &UserRequest,
        key_id: &KeyId,
        now: i64,
        change: impl FnOnce(&mut KeyRow),
    ) -> Change<ApiKey> {
        let before = self.recall(request);
        if before == Some(Recorded::Reused) {
            return Change::Made(Recorded::Reused);
        }
        if before.is_none() && self.is_overtaken(request) {
            return Change::Overtaken;
        }
        let Some(row) = self.key(&request.account, key_id.as_str()) else {
            return Change::Unknown;
        };
        if before.is_some() {
            return Change::Made(Recorded::Repeated(row.key.clone()));
        }
        change(row);
        let key = row.key.clone();
        self.changed(request, key_id.as_str(), now);
        Change::Made(Recorded::First(key))
    }
}
