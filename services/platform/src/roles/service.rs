//! Creates, changes and deletes roles.

use std::sync::Arc;

use causeway_proto::ids::RoleName;

use crate::{
    authorization::access::AccessControl,
    platform::{ChangeError, Requester},
    request::UserRequest,
    roles::{
        model::{Role, find_built_in},
        rule::Rule,
    },
    store::{Save, Store},
    users::service::made,
};

/// Roles of an account.
#[derive(Clone)]
pub(crate) struct RoleService {
    pub store: Arc<dyn Store>,
    pub access: AccessControl,
}

impl RoleService {
    /// Makes a role or changes one.
    pub(crate) async fn save_role(
        &self,
        requester: &Requester,
        request: &UserRequest,
        role: &Role,
        save: Save,
    ) -> Result<Role, ChangeError> {
        role.check()?;
        let permission = match save {
            Save::New => "role.create",
            Save::Changed => "role.update",
        };
        let policy = self
            .access
            .require(requester, permission, role.name.as_str())
            .await?;
        if find_built_in(&role.name).is_some() {
            return Err(ChangeError::BuiltIn(role.name.clone()));
        }
        let roles = self.store.roles(&requester.account).await?;
        let had = roles.get(&role.name).map(|role| role.rules.as_slice());
        let had = had.unwrap_or_default();
        let added = |rule: &&Rule| !had.contains(rule);
        policy.check_grant(role.rules.iter().filter(added))?;
        let request = &request.checked_at(policy.version());
        let change = self.store.save_role(request, role, save).await?;
        self.access.forget_credentials();
        made(change, "role", role.name.as_str())?.outcome()
    }

    /// Removes a role that no user has.
    pub(crate) async fn delete_role(
        &self,
        requester: &Requester,
        request: &UserRequest,
        name: &RoleName,
        now: i64,
    ) -> Result<(), ChangeError> {
        let policy = self
            .access
            .require(requester, "role.delete", name.as_str())
            .await?;
        if find_built_in(name).is_some() {
            return Err(ChangeError::BuiltIn(name.clone()));
        }
        let request = &request.checked_at(policy.version());
        let change = self.store.delete_role(request, name, now).await?;
        self.access.forget_credentials();
        made(change, "role", name.as_str())?.outcome().map(drop)
    }
}
