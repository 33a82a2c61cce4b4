//! Reads and writes preferences and saved views of the requester.

use std::sync::Arc;

use causeway_proto::ids::RoleName;

use crate::{
    authorization::{access::AccessControl, policy::DenialReason},
    platform::{ChangeError, Requester, seen::seen},
    preferences::model::{Preferences, SavedView, ViewPlace},
    request::UserRequest,
    store::{Store, StoreError, StoreFuture},
    users::service::made,
};

/// Preferences and saved views of an account.
#[derive(Clone)]
pub(crate) struct PreferenceService {
    pub store: Arc<dyn Store>,
    pub access: AccessControl,
}

impl PreferenceService {
    pub(crate) fn new(store: Arc<dyn Store>, access: AccessControl) -> Self {
        Self { store, access }
    }

    pub(crate) async fn preferences(
        &self,
        requester: &Requester,
    ) -> Result<Preferences, StoreError> {
        let (account, user) = (&requester.account, &requester.user);
        self.store.preferences(account, user).await
    }

    /// Replaces the preferences if they have the given version; returns the new one.
    pub(crate) async fn set_preferences(
        &self,
        request: &UserRequest,
        preferences: &Preferences,
        now: i64,
    ) -> Result<u64, ChangeError> {
        let change = self
            .store
            .set_preferences(request, preferences, now)
            .await?;
        made(change, "preferences of", request.user.as_str())?.outcome()
    }

    /// Lists own views and those that are shared with a role of the requester.
    pub(crate) async fn list_views(
        &self,
        requester: &Requester,
        asked: (Option<ViewPlace>, u32),
    ) -> Result<Vec<SavedView>, ChangeError> {
        let roles = self.roles(requester).await?;
        let (account, user, store) = (&requester.account, &requester.user, &self.store);
        let read = |behind: Option<ViewPlace>, limit| -> StoreFuture<'_, Vec<SavedView>> {
            Box::pin(async move {
                let asked = (behind.as_ref(), limit);
                store.list_saved_views(account, user, asked).await
            })
        };
        let visible = |view: &SavedView| view.is_visible(user, &roles);
        Ok(seen(asked, read, SavedView::place, visible).await?)
    }

    /// Saves a view. It is shared with roles of the requester only.
    pub(crate) async fn save_view(
        &self,
        requester: &Requester,
        request: &UserRequest,
        view: &SavedView,
    ) -> Result<SavedView, ChangeError> {
        let roles = self.roles(requester).await?;
        if let Some(foreign) = view.roles.iter().find(|role| !roles.contains(role)) {
            return Err(ChangeError::NotYourRole(foreign.clone()));
        }
        let change = self.store.save_view(request, view).await?;
        made(change, "saved view", &view.name)?.outcome()
    }

    pub(crate) async fn delete_view(
        &self,
        request: &UserRequest,
        name: &str,
        now: i64,
    ) -> Result<(), ChangeError> {
        let change = self.store.delete_saved_view(request, name, now).await?;
        made(change, "saved view", name)?.outcome()
    }

    /// The roles of the requester; of a limited credential only its limit.
    async fn roles(&self, requester: &Requester) -> Result<Vec<RoleName>, ChangeError> {
        let denied = || ChangeError::Denied {
            permission: "saved-view.list",
            lack: DenialReason::Disabled,
        };
        let policy = self.access.policy_of(requester).await?.ok_or_else(denied)?;
        if let Some(limit) = &requester.limit {
            return Ok(vec![limit.clone()]);
        }
        let names = policy.role_names().into_iter();
        Ok(names.filter_map(|name| name.parse().ok()).collect())
    }
}
