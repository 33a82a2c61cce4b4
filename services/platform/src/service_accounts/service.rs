//! Manages service accounts and the tokens that they trust.

use std::sync::Arc;

use causeway_proto::ids::{AccountId, UserId};

use crate::{
    authorization::access::AccessControl,
    identity_providers::service::unusable,
    platform::{ChangeError, Requester, seen::seen},
    request::UserRequest,
    service_accounts::model::{MOST_TRUST_RULES, ServiceAccount, TrustError, TrustRule},
    sign_in::service::SignInContext,
    store::{Store, StoreError, StoreFuture},
    users::service::made,
};

/// Service accounts of an account.
#[derive(Clone)]
pub(crate) struct ServiceAccountService {
    pub store: Arc<dyn Store>,
    pub access: AccessControl,
    pub context: Arc<SignInContext>,
}

impl ServiceAccountService {
    /// Adds a service account.
    pub(crate) async fn create_service_account(
        &self,
        requester: &Requester,
        request: &UserRequest,
        service_account: &ServiceAccount,
    ) -> Result<ServiceAccount, ChangeError> {
        let user = &service_account.user;
        let (name, permission) = (user.user.as_str(), "service-account.create");
        let policy = self.access.require(requester, permission, name).await?;
        self.access
            .check_roles(requester, &policy, &[], &user.roles)
            .await?;
        self.check_trust(&service_account.trust)?;
        let request = &request.checked_at(policy.version());
        let change = self
            .store
            .create_service_account(request, service_account)
            .await?;
        self.access.forget_credentials();
        made(change, "user", name)?.outcome()
    }

    /// Changes whom a service account trusts; when this answers its sessions open nothing any more.
    pub(crate) async fn set_trust_rules(
        &self,
        requester: &Requester,
        request: &UserRequest,
        (user, trust): (&UserId, &[TrustRule]),
        now: i64,
    ) -> Result<ServiceAccount, ChangeError> {
        let permission = "service-account.update";
        let policy = self
            .access
            .require(requester, permission, user.as_str())
            .await?;
        let found = self.store.find_service_account(&requester.account, user);
        let roles = found.await?.map(|it| it.user.roles).unwrap_or_default();
        self.access
            .check_roles(requester, &policy, &[], &roles)
            .await?;
        self.check_trust(trust)?;
        let request = &request.checked_at(policy.version());
        let change = self
            .store
            .set_trust_rules(request, user, trust, now)
            .await?;
        self.access.forget_credentials();
        made(change, "service account", user.as_str())?.outcome()
    }

    /// Lists the visible service accounts of an account by name, after a cursor.
    pub(crate) async fn list_service_accounts(
        &self,
        account: &AccountId,
        asked: (Option<UserId>, u32),
        sees: impl Fn(&UserId) -> bool,
    ) -> Result<Vec<ServiceAccount>, StoreError> {
        let store = &self.store;
        let read = |behind: Option<UserId>, limit| -> StoreFuture<'_, Vec<ServiceAccount>> {
            Box::pin(async move {
                let behind = behind.as_ref();
                store.list_service_accounts(account, behind, limit).await
            })
        };
        let key = |it: &ServiceAccount| it.user.user.clone();
        seen(asked, read, key, |it| sees(&it.user.user)).await
    }

    fn check_trust(&self, trust: &[TrustRule]) -> Result<(), ChangeError> {
        if trust.len() > MOST_TRUST_RULES {
            return Err(TrustError::TooMany.into());
        }
        for rule in trust {
            rule.check()?;
            let issuer = self.context.providers.of_issuer(&rule.issuer);
            issuer.map_err(|error| unusable(&error))?;
        }
        Ok(())
    }
}
