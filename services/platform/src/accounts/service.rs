//! Creates accounts.

use std::sync::Arc;

use causeway_proto::ids::AccountId;

use crate::{
    accounts::model::{Account, first_account},
    authorization::access::AccessControl,
    first_start::first_admin,
    platform::{ChangeError, Requester},
    request::{Recorded, UserRequest},
    secret::{API_KEY_PREFIX, Secret},
    store::Store,
    users::service::made,
};

/// Accounts, which only users of the first account create.
#[derive(Clone)]
pub(crate) struct AccountService {
    pub store: Arc<dyn Store>,
    pub access: AccessControl,
}

impl AccountService {
    /// Makes an account, with the secret of its admin's key where this is the first request of its id.
    pub(crate) async fn create_account(
        &self,
        requester: &Requester,
        request: &UserRequest,
        account: AccountId,
        now: i64,
    ) -> Result<(Account, Option<Secret>), ChangeError> {
        if requester.account != first_account() {
            return Err(ChangeError::FirstAccountOnly);
        }
        let permission = "account.create";
        let policy = self
            .access
            .require(requester, permission, account.as_str())
            .await?;
        let secret = Secret::generate(API_KEY_PREFIX);
        let (user, key) = first_admin(account.clone(), now);
        let request = &request.checked_at(policy.version());
        let change = self
            .store
            .found_account(request, &user, &key, secret.digest())
            .await?;
        let recorded = made(change, "account", account.as_str())?;
        let first = matches!(recorded, Recorded::First(_));
        Ok((recorded.outcome()?, first.then_some(secret)))
    }
}
