//! Permission checks of changes, and what a change of rights must make caches forget.

use std::{collections::BTreeMap, sync::Arc};

use causeway_proto::ids::RoleName;

use crate::{
    authorization::{
        grants::Grants,
        policy::{DenialReason, Policy},
    },
    keys::ring::PlatformKeySource,
    platform::{ChangeError, Requester},
    roles::rule::{Permission, Target},
    store::{Store, StoreError},
};

/// Decides whether a user may make a change, by the rights that the store has now.
#[derive(Clone)]
pub(crate) struct AccessControl {
    pub store: Arc<dyn Store>,
    pub grants: Arc<Grants>,
    pub keys: Arc<PlatformKeySource>,
}

impl AccessControl {
    pub(crate) fn new(store: Arc<dyn Store>, keys: Arc<PlatformKeySource>) -> Self {
        let grants = Arc::new(Grants::new(store.clone()));
        Self {
            store,
            grants,
            keys,
        }
    }

    /// Returns the policy of a user who has a permission on the object of this name. It is read again, for an assertion can be
    /// as old as a minute.
    pub(crate) async fn require(
        &self,
        requester: &Requester,
        permission: &'static str,
        name: &str,
    ) -> Result<Policy, ChangeError> {
        let policy = self.require_any(requester, permission).await?;
        let parsed = Permission::parse(permission).expect("the contract's permissions have a dot");
        let none = BTreeMap::new();
        let target = Target {
            labels: Some(&none),
            ..Target::of_platform(name)
        };
        if policy.lacks(parsed, &target).is_some() {
            let name = name.to_owned();
            return Err(ChangeError::Unselected { permission, name });
        }
        Ok(policy)
    }

    /// Returns the policy of a user who has a permission on any object.
    pub(crate) async fn require_any(
        &self,
        requester: &Requester,
        permission: &'static str,
    ) -> Result<Policy, ChangeError> {
        let denied = |lack| ChangeError::Denied { permission, lack };
        let policy = self.policy_of(requester).await?;
        let policy = policy.ok_or_else(|| denied(DenialReason::Disabled))?;
        let parsed = Permission::parse(permission).expect("the contract's permissions have a dot");
        match policy.lacks(parsed, &Target::default()) {
            Some(lack) => Err(denied(lack)),
            None => Ok(policy),
        }
    }

    /// Returns the present policy of a credential; none if the user may not sign in.
    pub(crate) async fn policy_of(
        &self,
        requester: &Requester,
    ) -> Result<Option<Policy>, StoreError> {
        self.grants.policy_of(requester).await
    }

    /// Drops cached credentials here and in all services. To be called when a revocation is durable.
    pub(crate) fn forget_credentials(&self) {
        self.grants.revoked();
        self.keys.revoked();
    }

    /// Checks that the requester holds every permission of the roles that a user gains.
    pub(crate) async fn check_roles(
        &self,
        requester: &Requester,
        policy: &Policy,
        had: &[RoleName],
        gets: &[RoleName],
    ) -> Result<(), ChangeError> {
        let roles = self.store.roles(&requester.account).await?;
        for name in gets.iter().filter(|name| !had.contains(name)) {
            let role = roles.get(name);
            let role = role.ok_or_else(|| ChangeError::RoleUnknown(name.clone()))?;
            policy.check_grant(&role.rules)?;
        }
        Ok(())
    }
}
