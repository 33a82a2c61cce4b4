//! Creates, lists, rotates and revokes API keys. Users may always list and revoke their own.

use std::sync::Arc;

use causeway_proto::ids::{KeyId, RoleName, UserId};

use crate::{
    api_keys::model::{ApiKey, KeyPlace, Rotation},
    authorization::{access::AccessControl, policy::Policy},
    platform::{ChangeError, Requester, seen::seen},
    request::{Recorded, UserRequest},
    secret::{API_KEY_PREFIX, Secret},
    store::{Store, StoreError, StoreFuture},
    users::service::made,
};

const KIND: &str = "API key";

/// Requested API key. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewApiKey {
    /// What its owner calls it.
    pub display_name: String,
    /// Whose it will be; none for who asks.
    pub user: Option<UserId>,
    /// What limits it; none for what its owner may, or, where that is who asks, for the role of the credential that asks.
    pub role: Option<RoleName>,
    /// When it ends.
    pub expires_at: Option<i64>,
}

/// API keys of an account.
#[derive(Clone)]
pub(crate) struct ApiKeyService {
    pub store: Arc<dyn Store>,
    pub access: AccessControl,
}

impl ApiKeyService {
    /// Makes a key, with its secret where this is the first request of its id.
    pub(crate) async fn create_api_key(
        &self,
        requester: &Requester,
        request: &UserRequest,
        new: NewApiKey,
        now: i64,
    ) -> Result<(ApiKey, Option<Secret>), ChangeError> {
        let user = new.user.unwrap_or_else(|| requester.user.clone());
        let policy = self
            .access
            .require(requester, "api-key.create", user.as_str())
            .await?;
        // A requester with a limited credential makes no wider one of their own; what others get is looked at below.
        let inherited = requester.limit.as_ref().filter(|_| user == requester.user);
        let role = new.role.or_else(|| inherited.cloned());
        if let Some(name) = &role {
            let roles = self.store.roles(&requester.account).await?;
            let known = roles.get(name).is_some() || requester.limit.as_ref() == Some(name);
            if !known {
                return Err(ChangeError::RoleUnknown(name.clone()));
            }
        }
        let key = ApiKey {
            account: requester.account.clone(),
            key_id: ApiKey::new_id(),
            display_name: new.display_name,
            user,
            role,
            created_at: now,
            expires_at: new.expires_at,
            last_used_at: None,
            revoked_at: None,
            rotation: None,
        };
        self.check_key(requester, &policy, &key).await?;
        let secret = Secret::generate(API_KEY_PREFIX);
        let request = request.checked_at(policy.version());
        let change = self.store.create_api_key(&request, &key, secret.digest());
        match made(change.await?, "user", key.user.as_str())? {
            Recorded::First(key) => Ok((key, Some(secret))),
            Recorded::Repeated(key) => Ok((key, None)),
            Recorded::Reused => Err(ChangeError::Reused),
        }
    }

    /// Lists the visible keys of an account after a cursor. The name by which a key is visible is its owner.
    pub(crate) async fn list_api_keys(
        &self,
        requester: &Requester,
        asked: (Option<KeyPlace>, u32),
        sees: impl Fn(&str) -> bool,
    ) -> Result<Vec<ApiKey>, StoreError> {
        let (account, store) = (&requester.account, &self.store);
        let read = |behind: Option<KeyPlace>, limit| -> StoreFuture<'_, Vec<ApiKey>> {
            Box::pin(async move { store.list_api_keys(account, behind.as_ref(), limit).await })
        };
        let mine = |key: &ApiKey| key.user == requester.user || sees(key.user.as_str());
        let mut seen = seen(asked, read, ApiKey::place, mine).await?;
        let last_used = self.access.grants.last_used();
        for key in &mut seen {
            let used = last_used.get(&(account.clone(), key.key_id.clone()));
            key.last_used_at = used.copied().max(key.last_used_at);
        }
        Ok(seen)
    }

    /// Gives a key a new secret; the former one is good until a time. The secret comes where this is the first request of its id.
    pub(crate) async fn rotate_api_key(
        &self,
        requester: &Requester,
        request: &UserRequest,
        key_id: &KeyId,
        rotation: Rotation,
    ) -> Result<(ApiKey, Option<Secret>), ChangeError> {
        let key = self.store.find_api_key(&requester.account, key_id).await?;
        let key = key.ok_or_else(|| unknown(key_id))?;
        let policy = self
            .access
            .require(requester, "api-key.rotate", key.user.as_str())
            .await
            .map_err(|error| hide(error, key_id))?;
        self.check_key(requester, &policy, &key).await?;
        let secret = Secret::generate(API_KEY_PREFIX);
        let request = &request.checked_at(policy.version());
        let change = self
            .store
            .rotate_api_key(request, key_id, secret.digest(), rotation)
            .await?;
        self.access.forget_credentials();
        match made(change, KIND, key_id.as_str())? {
            Recorded::Reused => Err(ChangeError::Reused),
            Recorded::First(key) | Recorded::Repeated(key) if key.revoked_at.is_some() => {
                Err(ChangeError::Revoked)
            }
            Recorded::First(key) => Ok((key, Some(secret))),
            Recorded::Repeated(key) => Ok((key, None)),
        }
    }

    /// Ends a key; when this answers it opens nothing any more.
    pub(crate) async fn revoke_api_key(
        &self,
        requester: &Requester,
        request: &UserRequest,
        key_id: &KeyId,
        now: i64,
    ) -> Result<ApiKey, ChangeError> {
        let key = self.store.find_api_key(&requester.account, key_id).await?;
        let key = key.ok_or_else(|| unknown(key_id))?;
        if key.user != requester.user {
            self.access
                .require(requester, "api-key.revoke", key.user.as_str())
                .await
                .map_err(|error| hide(error, key_id))?;
        }
        let change = self.store.revoke_api_key(request, key_id, now).await?;
        self.access.forget_credentials();
        made(change, KIND, key_id.as_str())?.outcome()
    }

    /// Checks that the requester, who receives the secret, holds every permission of a key.
    async fn check_key(
        &self,
        requester: &Requester,
        policy: &Policy,
        key: &ApiKey,
    ) -> Result<(), ChangeError> {
        let opened = Requester {
            account: requester.account.clone(),
            user: key.user.clone(),
            limit: key.role.clone(),
            shown: None,
        };
        let opened = self.access.policy_of(&opened).await?;
        let opened = opened.ok_or_else(|| ChangeError::Unknown {
            kind: "user",
            name: key.user.to_string(),
        })?;
        policy.check_holds(&opened)?;
        if key.user == requester.user && key.role.is_none() {
            return Ok(());
        }
        // Even a key that opens less because its owner may less is not made in the name of a higher role.
        let within = policy.check_limit(&opened);
        within.map_err(|escalation| match &key.role {
            Some(_) => escalation.into(),
            None => ChangeError::Unlimited,
        })
    }
}

fn unknown(key_id: &KeyId) -> ChangeError {
    ChangeError::Unknown {
        kind: KIND,
        name: key_id.to_string(),
    }
}

/// Reports a key that the requester may not change as unknown.
fn hide(error: ChangeError, key_id: &KeyId) -> ChangeError {
    let hidden = matches!(
        error,
        ChangeError::Denied { .. } | ChangeError::Unselected { .. }
    );
    if hidden { unknown(key_id) } else { error }
}
